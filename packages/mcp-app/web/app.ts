import { App, applyDocumentTheme } from '@modelcontextprotocol/ext-apps';
import { mergePages, readPage, type Continuation, type DealSetPage } from './deal-set-page.js';
import { dealSetView } from './deal-set-view.js';
import { el } from './dom.js';

const FAILURE = 'The offers could not be loaded.';

const app = new App({ name: 'deal-sets-view', version: '1.0.0' });
const view = document.querySelector('#view') as HTMLElement;

function applyTheme(): void {
  const theme = app.getHostContext()?.theme;
  if (theme) applyDocumentTheme(theme);
}

function showStatus(text: string): void {
  view.replaceChildren(el('p', { role: 'status' }, text));
}

function showPage(page: DealSetPage): void {
  const { next } = page;
  view.replaceChildren(...dealSetView(page.data));
  if (!next) return;
  // If the host does not forward tool calls, only the assistant can read the rest.
  const more = app.getHostCapabilities()?.serverTools
    ? moreButton(page, next)
    : el('p.soft', {}, 'There is more. Ask the assistant for it.');
  view.append(more);
}

function moreButton(page: DealSetPage, next: Continuation): HTMLElement {
  const button = el('button', { type: 'button' }, 'Show more');
  const status = el('p', { role: 'status' });
  let isReading = false;
  const read = async (): Promise<void> => {
    // The button gets `aria-disabled` because `disabled` would remove the focus.
    if (isReading) return;
    isReading = true;
    button.setAttribute('aria-disabled', 'true');
    const after = await readNext(page.data.dealSetId, next);
    if (after) {
      showPage(mergePages(page, after));
      (view.querySelector('button') ?? view.querySelector<HTMLElement>('#offers'))?.focus();
    } else {
      status.textContent = FAILURE;
      button.removeAttribute('aria-disabled');
      isReading = false;
    }
  };
  button.addEventListener('click', () => void read());
  return el('div', {}, button, status);
}

async function readNext(dealSetId: string, next: Continuation): Promise<DealSetPage | undefined> {
  const input = { name: 'get_deal_set', arguments: { dealSetId, ...next } };
  try {
    return readPage(await app.callServerTool(input));
  } catch {
    return undefined;
  }
}

app.addEventListener('toolresult', (result) => {
  const page = readPage(result);
  if (page) showPage(page);
  else showStatus(FAILURE);
});
app.addEventListener('toolcancelled', () => showStatus('The request was cancelled.'));
app.addEventListener('hostcontextchanged', applyTheme);
app.onteardown = () => ({});
void app.connect().then(applyTheme);
