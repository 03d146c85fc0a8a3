import { connectTabs } from './connect.js';
import { button, el, place, replace, type Child } from './dom.js';
import type { Buyer, PageState } from './session.js';

/** Creates the introduction of the page. */
export const introduction = (): readonly Child[] => [
  el('h1', 'One request, two readers'),
  el('p.lead'),
];

/** Shows the sentence under the heading, which depends on the state of the buyer's approval. */
export function showLead(buyer: Buyer, assistant: PageState['assistant']): void {
  const lead = document.querySelector('.lead');
  if (lead) lead.textContent = leadOf(firstName(buyer), assistant);
}

function leadOf(buyer: string, { name, accessToken, isRevoked }: PageState['assistant']): string {
  if (accessToken !== null && !isRevoked) {
    return `${name}, ${buyer}’s AI assistant, gets every price, but no names, distances or messages.`;
  }
  return isRevoked
    ? `${buyer} has withdrawn her approval of ${name}, an AI assistant, so it gets none of her data.`
    : `${buyer} has not approved ${name}, an AI assistant, so it gets none of her data.`;
}

/** Returns a buyer's first name. */
export const firstName = ({ name }: Buyer): string => name.split(' ')[0] ?? name;

/** Creates the line with the signed-in buyer and the sign-out button. */
export function signedInAs(buyer: Buyer): Child {
  return el(
    'form',
    { method: 'post', action: '/sign-out', class: 'who' },
    el('span', el('span.signed-in-as', 'Signed in as '), el('strong', buyer.name)),
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
      `Anna asks car dealerships for their best price, and her AI assistant, ${assistant.name}, follows along. The assistant gets every price, but no names, distances or messages.`,
    ),
    el(
      'form',
      { method: 'post', action: '/sign-in', class: 'sign-in' },
      el('input', { type: 'hidden', name: 'to', value: location.pathname + location.search }),
      buyers.map(({ id, name }, at) =>
        el('button', { name: 'buyer', value: id, class: at > 0 && 'quiet' }, `Sign in as ${name}`),
      ),
    ),
    connectTabs(`${location.origin}/mcp`),
  );
}
