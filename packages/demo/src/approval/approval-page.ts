import type { DemoBuyer } from '../sign-in/buyer-sessions.js';
import { type Html, markup } from '../web-forms/send-page.js';
import type { ConsentExample } from './consent-example.js';

/** An assistant that requests approval. */
export interface Asking {
  readonly clientId: string;
  /** The name that the assistant gave itself, cleaned by `assistantName`. */
  readonly name: string;
  readonly redirectUri: string;
  /** Whether the assistant runs on a server, not on the buyer's machine. */
  readonly isHosted: boolean;
}

/**
 * Builds the approval page: the assistant, the buyer's best offer as the buyer sees it and as the
 * assistant would get it, until when, and how to end it.
 *
 * @param uid the id of the authorization request.
 */
export function approvalPage(
  uid: string,
  buyer: DemoBuyer,
  asking: Asking,
  example: ConsentExample,
): Html {
  return markup` <p>
      You are signed in as <strong>${buyer.name}</strong>.
      <a href="/sign-in?to=/approve/${uid}">Not you?</a>
    </p>
    <p>
      <strong>${asking.name}</strong> (the name it gave itself) wants to read your price requests.
      ${
        example.isMadeUp
          ? markup`You have no offer yet, so this example is <strong>made up</strong>:`
          : markup`This is a request of yours with its best offer, as you see it and as it will get it:`
      }
    </p>
    ${exampleTable(example, asking.name)}
    <p>
      If you approve, it gets every offer of all your requests, present and later ones, in this form,
      and never the name or the contact details of a dealership. It can only read. The approval has
      no end date: you can end it at any time under <a href="/approvals">Approvals</a>, and the access
      ends at once.
    </p>
    ${answerForm(uid, buyer)}
    <p class="note">
      It runs on ${asking.isHosted ? 'a server elsewhere' : 'this computer'}. After you answer, you
      return to <code>${placeOf(asking.redirectUri)}</code>. Its client id is
      <code>${asking.clientId}</code>.
    </p>`;
}

function exampleTable({ isMadeUp, values }: ConsentExample, assistant: string): Html {
  const rows = values.map(
    ({ name, hers, assistants }) => markup`<tr>
        <th scope="row">${name}</th>
        <td>${hers}</td>
        <td>${assistants === null ? markup`<span class="not-shared">not shared</span>` : assistants}</td>
      </tr>`,
  );
  return markup`<table>
    <caption>${isMadeUp ? 'A made-up request' : 'Your request and its best offer'}</caption>
    <thead>
      <tr>
        <td></td>
        <th scope="col">You see</th>
        <th scope="col">${assistant} gets</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function answerForm(uid: string, { id }: DemoBuyer): Html {
  return markup`<form class="row" method="post" action="/approve/${uid}">
    <input type="hidden" name="buyer" value="${id}" />
    <button class="main" name="answer" value="approve">Approve</button>
    <button name="answer" value="refuse">Decline</button>
  </form>`;
}

/** Returns the scheme and host of an address, or only the scheme if it has no host. */
export function placeOf(address: string): string {
  const { protocol, host } = new URL(address);
  return host === '' ? protocol : `${protocol}//${host}`;
}
