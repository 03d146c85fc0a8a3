import {
  DealSetResponse,
  ListResponse,
  fieldsOf,
  reachableDtos,
  type Visibility,
} from '@deal-sets/service';
import type { DemoBuyer } from '../sign-in/buyer-sessions.js';
import { type Html, markup } from '../web-forms/send-page.js';

/** An assistant that requests approval. */
export interface Asking {
  readonly clientId: string;
  /** The name that the assistant gave itself. */
  readonly name: string;
  readonly redirectUri: string;
  readonly isHosted: boolean;
}

/**
 * Builds the approval page: the assistant, the scope it requests, what it never gets, and how to
 * revoke the approval. Each field is listed in a section that can be opened.
 */
export function approvalPage(uid: string, buyer: DemoBuyer, asking: Asking): Html {
  const { seen, described, never } = assistantView(asking.isHosted);
  return markup` <p>
      You are signed in as <strong>${buyer.name}</strong>.
      <a href="/sign-in?to=/approve/${uid}">Not you?</a>
    </p>
    <p>
      An assistant that calls itself <strong>${asking.name}</strong> would like to read your price
      requests: the cars, the dealerships’ prices, and the status of each request. It never gets a
      dealership’s name or contact details, your ZIP code, a distance, or the text of a message. It
      can only read. It cannot answer, unlock or choose anything for you. You can revoke the approval
      at any time under <a href="/approvals">Approvals</a>, and its access ends at once.
    </p>
    <p class="note">
      It ${asking.isHosted ? 'runs on a server elsewhere' : 'runs on this computer'}. You will be sent to
      <code>${placeOf(asking.redirectUri)}</code>; its id is <code>${asking.clientId}</code>.
    </p>
    ${answerForm(uid, buyer)}
    <details>
      <summary>Show every field</summary>
      <h2>It will never see</h2>
      ${list(never)}
      <h2>It will see as a description of the car, without names</h2>
      ${list(described)}
      <h2>It will see</h2>
      ${list(seen)}
    </details>`;
}

function answerForm(uid: string, { id }: DemoBuyer): Html {
  return markup`<form class="row" method="post" action="/approve/${uid}">
    <input type="hidden" name="buyer" value="${id}" />
    <button class="main" name="answer" value="approve">Approve</button>
    <button name="answer" value="refuse">Refuse</button>
  </form>`;
}

function list(items: readonly string[]): Html {
  return markup`<ul>
    ${items.map((item) => markup`<li>${item}</li>`)}
  </ul>`;
}

/** Returns the part of an address that shows where it leads. */
export function placeOf(address: string): string {
  const { protocol, host } = new URL(address);
  return host === '' ? protocol : `${protocol}//${host}`;
}

/** What an assistant gets of a buyer's data, by the descriptions of the declared fields. */
interface AssistantView {
  readonly seen: readonly string[];
  /** Shown as a description of the car instead of a name. */
  readonly described: readonly string[];
  readonly never: readonly string[];
}

/** Uses the declarations by which the service redacts, so the page always matches them. */
function assistantView(isHosted: boolean): AssistantView {
  const byVisibility: Record<Visibility, Set<string>> = {
    same: new Set(),
    described: new Set(),
    null: new Set(),
    false: new Set(),
    'unless-hosted': new Set(),
  };
  for (const dto of reachableDtos([ListResponse, DealSetResponse])) {
    for (const { type, visibility: forms, description } of Object.values(fieldsOf(dto))) {
      // An object that only contains other fields has no information of its own.
      if (typeof type.type === 'string') byVisibility[forms.assistant].add(description);
    }
  }
  const never = [
    ...byVisibility.null,
    ...byVisibility.false,
    ...(isHosted ? byVisibility['unless-hosted'] : []),
  ];
  const seen = [...byVisibility.same, ...(isHosted ? [] : byVisibility['unless-hosted'])];
  return { seen, described: [...byVisibility.described], never };
}
