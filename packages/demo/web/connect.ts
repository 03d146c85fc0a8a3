import { copyButton } from './copy.js';
import { button, el, on, type Child } from './dom.js';

/** An application with an assistant, and how it is connected to the demo. */
interface AssistantHost {
  readonly name: string;
  /** Where the line goes. */
  readonly place: string;
  readonly line: (url: string) => string;
  /** Whether the line was tested with this demo, and what the reader must know first. */
  readonly note: string;
  /** The address and the name of the documentation that the line comes from. */
  readonly source: readonly [address: string, name: string];
}

const CLOUD =
  'Not tried here. It connects from its own servers, so the demo needs a forwarded https address (PUBLIC_URL).';

const HOSTS: readonly AssistantHost[] = [
  {
    name: 'Claude Code',
    place: 'In a terminal. Then sign in with /mcp in Claude Code.',
    line: (url) => `claude mcp add --transport http deal-sets ${url}`,
    note: 'Not tried here.',
    source: ['https://code.claude.com/docs/en/mcp', 'Claude Code documentation'],
  },
  {
    name: 'Claude',
    place: 'Under Connectors, “Add custom connector”, as the address of the server.',
    line: (url) => url,
    note: CLOUD,
    source: [
      'https://support.claude.com/articles/11175166-getting-started-with-custom-connectors-using-remote-mcp',
      'Claude help center',
    ],
  },
  {
    name: 'VS Code',
    place: 'In the file .vscode/mcp.json.',
    line: (url) => JSON.stringify({ servers: { 'deal-sets': { type: 'http', url } } }),
    note: 'Not tried here.',
    source: [
      'https://code.visualstudio.com/docs/agents/reference/mcp-configuration',
      'VS Code documentation',
    ],
  },
  {
    name: 'Cursor',
    place: 'In the file ~/.cursor/mcp.json.',
    line: (url) => JSON.stringify({ mcpServers: { 'deal-sets': { url } } }),
    note: 'Not tried here.',
    source: ['https://cursor.com/docs/mcp', 'Cursor documentation'],
  },
  {
    name: 'ChatGPT',
    place:
      'In developer mode, under Settings, Apps, “Create app”, as the server address, with OAuth.',
    line: (url) => url,
    note: CLOUD,
    source: [
      'https://developer.salesforce.com/docs/platform/hosted-mcp-servers/guide/chatgpt.html',
      'a guide by Salesforce',
    ],
  },
  {
    name: 'mcp-remote',
    place: 'In a terminal, or as the command of any application that starts local servers.',
    line: (url) => `npx mcp-remote ${url}`,
    note: 'Tried with this demo.',
    source: ['https://www.npmjs.com/package/mcp-remote', 'the package'],
  },
];

/** Creates the tabs with a line to copy for each application. */
export function connectTabs(url: string): Child {
  const panel = el('div.host', { role: 'tabpanel', id: 'host', 'aria-labelledby': 'host-tab-0' });
  const show = (shown: number): void => {
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === shown));
      tab.tabIndex = at === shown ? 0 : -1;
    }
    panel.setAttribute('aria-labelledby', `host-tab-${shown}`);
    const host = HOSTS[shown];
    if (host) panel.replaceChildren(el('div', hostPanel(host, url)));
  };
  const tabs = HOSTS.map(({ name }, at) =>
    button(name, () => show(at), { role: 'tab', id: `host-tab-${at}`, 'aria-controls': 'host' }),
  );
  const list = on(el('div.hosts', { role: 'tablist', 'aria-label': 'Applications' }, tabs), {
    keydown: (event) => {
      const { key } = event as KeyboardEvent;
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const focused = tabs.findIndex((tab) => tab === document.activeElement);
      const next = (focused + step + tabs.length) % tabs.length;
      show(next);
      tabs[next]?.focus();
    },
  });
  show(0);
  return el(
    'section.connect',
    { 'aria-labelledby': 'connect-title' },
    el('h2', { id: 'connect-title' }, 'Connect your assistant'),
    el('p.note', 'It opens this page’s sign-in, and you approve it as Anna or Bea.'),
    list,
    panel,
  );
}

function hostPanel({ name, place, line, note, source }: AssistantHost, url: string): Child {
  const text = line(url);
  const [address, title] = source;
  return [
    el('p.note', place),
    el('pre', { tabindex: 0, role: 'region', 'aria-label': `Line for ${name}` }, el('code', text)),
    el('p', copyButton(text)),
    el('p.note', note, ' Source: ', el('a', { href: address, rel: 'noreferrer' }, title), '.'),
  ];
}
