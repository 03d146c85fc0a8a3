import { connectTabs } from './connect.js';
import { button, el, on, place, replace, type Child } from './dom.js';
import type { Buyer, PageState } from './session.js';

/**
 * Creates the introduction of the page, with the "Show only differences" switch.
 *
 * @param onChange called after the switch has changed what is shown.
 */
export function introduction(onChange: () => void): readonly Child[] {
  const differences = on(el('input', { type: 'checkbox', id: 'differences', role: 'switch' }), {
    change: (event) => {
      const { checked } = event.target as HTMLInputElement;
      document.body.classList.toggle('only-differences', checked);
      onChange();
    },
  });
  return [
    el('h1', 'One request, two readers'),
    el('p.lead'),
    el('label.switch', { for: 'differences' }, differences, el('span', 'Show only differences')),
  ];
}

/** Shows the sentence under the heading, which depends on the state of the buyer's approval. */
export function showLead(buyer: Buyer, assistant: PageState['assistant']): void {
  const lead = document.querySelector('.lead');
  if (lead) lead.textContent = leadOf(firstName(buyer), assistant);
}

function leadOf(buyer: string, { name, accessToken, isRevoked }: PageState['assistant']): string {
  if (accessToken !== null && !isRevoked) {
    return `${buyer} asked dealerships for prices. ${name}, her AI assistant, gets every price, but no names, distances or messages.`;
  }
  return isRevoked
    ? `${buyer} has withdrawn her approval of ${name}, an AI assistant, so it gets none of her data.`
    : `${buyer} has not approved ${name}, an AI assistant, so it gets none of her data.`;
}

/** Turns the "Show only differences" switch off. */
export function showEverything(): void {
  const differences = document.querySelector<HTMLInputElement>('#differences:checked');
  differences?.click();
}

/** Returns a buyer's first name. */
export const firstName = ({ name }: Buyer): string => name.split(' ')[0] ?? name;

/** Creates the line with the signed-in buyer and the sign-out button. */
export function signedInAs(buyer: Buyer): Child {
  return el(
    'form',
    { method: 'post', action: '/sign-out', class: 'who' },
    el('span', 'Signed in as ', el('strong', buyer.name)),
    el('button.quiet', 'Sign out'),
  );
}

/** Creates the message of a pane whose buyer session has ended. */
export function signInAgain(): Child {
  return el(
    'div.refused',
    el('p.status-code', '401'),
    el('h3', 'Her session has ended'),
    el(
      'p',
      button('Sign in again', () => location.reload()),
    ),
  );
}

/**
 * Replaces the page when another buyer has signed in, or the buyer has signed out, in another tab.
 *
 * @param buyer the name of the buyer who is signed in now, or null.
 */
export function showOtherTab(buyer: string | null): void {
  document.body.classList.remove('signed-in');
  for (const id of ['who', 'requests', 'strip', 'poll', 'panes']) replace(place(id));
  replace(
    place('intro'),
    el('h1', buyer === null ? 'Signed out in another tab' : `${buyer} is signed in now`),
    el(
      'p.lead',
      { role: 'status' },
      'The tabs of a browser share one session, and another tab has changed it. This tab has stopped reading.',
    ),
    button('Show the page', () => location.reload()),
  );
}

/** Shows the page for a visitor who has not signed in. */
export function showSignedOut({ buyers, assistant }: PageState): void {
  replace(
    place('intro'),
    el('h1', 'One request, two readers'),
    el(
      'p.lead',
      `Anna is buying a car and asks dealerships for their best price. She sees distances, messages and the names of dealerships that she has unlocked or chosen. ${assistant.name}, the AI assistant she approved, sees the same prices without any of that. Sign in as Anna to compare the two.`,
    ),
    el(
      'form',
      { method: 'post', action: '/sign-in', class: 'sign-in' },
      el('input', { type: 'hidden', name: 'to', value: location.pathname + location.search }),
      buyers.map(({ id, name }, at) =>
        el('button', { name: 'buyer', value: id, class: at > 0 && 'quiet' }, `Sign in as ${name}`),
      ),
    ),
    el(
      'p.note',
      'Bea has not approved an assistant. Prefer a terminal? ',
      el('a', { href: '/curl' }, 'Copy the curl commands'),
      '.',
    ),
    whoReadsWhat(assistant.name),
    connectTabs(`${location.origin}/mcp`),
  );
}

const WHO_READS_WHAT = [
  ['Prices, ranked', 'yes', 'yes'],
  [
    'Dealership names',
    'once she has unlocked or chosen one',
    'no, a description of the car instead',
  ],
  ['Her ZIP code', 'yes', 'no'],
  ['Distances', 'a range, and the exact miles once she has unlocked or chosen one', 'no'],
  ['Questions and replies', 'word for word', 'only that there are some'],
] as const;

/** Creates a table of what each principal sees. */
function whoReadsWhat(assistant: string): Child {
  const heads = ['Anna sees', `${assistant} sees`].map((head) => el('th', { scope: 'col' }, head));
  const rows = WHO_READS_WHAT.map(([what, ...cells]) => [
    el('th', { scope: 'row' }, what),
    ...cells.map((cell) => el('td', cell)),
  ]);
  return el(
    'table.principals',
    el('caption.hint', 'Who sees what'),
    el('thead', el('tr', el('td'), heads)),
    el(
      'tbody',
      rows.map((row) => el('tr', row)),
    ),
  );
}
