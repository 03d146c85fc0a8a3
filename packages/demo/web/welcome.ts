import { button, el, on, place, replace, type Child } from './dom.js';
import type { Buyer, PageState } from './session.js';

/** What the page shows, and the switch for the differences. */
export function introduction(buyer: Buyer, assistant: string): readonly Child[] {
  const differences = on(el('input', { type: 'checkbox', id: 'differences', role: 'switch' }), {
    change: (event) => {
      const { checked } = event.target as HTMLInputElement;
      document.body.classList.toggle('only-differences', checked);
    },
  });
  return [
    el('h1', 'One request, read by two'),
    el(
      'p.lead',
      `${buyer.name} asked dealerships for prices of a car. First comes her own page, beside it what ${assistant}, an assistant, receives of the same request: every price, no name, nothing that says where she is.`,
    ),
    el('label.switch', { for: 'differences' }, differences, el('span', 'Show only differences')),
  ];
}

export function signedInAs(buyer: Buyer): Child {
  return el(
    'form',
    { method: 'post', action: '/sign-out', class: 'who' },
    el('span', 'Signed in as ', el('strong', buyer.name)),
    el('button.quiet', 'Sign out'),
  );
}

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

/** The page of a visitor who has not signed in. */
export function showSignedOut({ buyers, assistant }: PageState): void {
  replace(
    place('intro'),
    el('h1', 'One request, read by two'),
    el(
      'p.lead',
      `Deal Sets gives a car buyer’s price requests, and the prices that came back, to her own page and to the AI assistants she approved. She reads their names, her distances and their words. ${assistant.name}, an assistant she approved, reads the same request without them. Sign in as one of the demo’s buyers to see both side by side.`,
    ),
    el(
      'form',
      { method: 'post', action: '/sign-in', class: 'sign-in' },
      el('input', { type: 'hidden', name: 'to', value: '/' }),
      buyers.map(({ id, name }) =>
        el('button', { name: 'buyer', value: id }, `Sign in as ${name}`),
      ),
    ),
    whoReadsWhat(assistant.name),
  );
}

const WHO_READS_WHAT = [
  ['Prices, ranked', 'yes', 'yes'],
  ['Dealerships by name', 'once she unlocked or chose one', 'never: a description of the car'],
  ['Distances and her ZIP', 'yes', 'never'],
  ['Questions and replies', 'in their words', 'that there is one, never its words'],
] as const;

/** Who reads what, in four lines. */
function whoReadsWhat(assistant: string): Child {
  const heads = ['She reads', `${assistant} reads`].map((head) => el('th', { scope: 'col' }, head));
  const rows = WHO_READS_WHAT.map(([what, ...cells]) => [
    el('th', { scope: 'row' }, what),
    ...cells.map((cell) => el('td', cell)),
  ]);
  return el(
    'table.principals',
    el('caption.hint', 'Who reads what'),
    el('thead', el('tr', el('td'), heads)),
    el(
      'tbody',
      rows.map((row) => el('tr', row)),
    ),
  );
}
