import {
  DealSetResponse,
  ListResponse,
  fieldsOf,
  reachableDtos,
  type Visibility,
} from '@deal-sets/service/standalone';
import type { DemoBuyer } from '../sign-in/buyer-sessions.js';
import { type Html, markup } from '../web-forms/send-page.js';

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
 * Builds the approval page: the assistant, the scope it requests, what it never gets, and how to
 * revoke the approval. A section that can be opened lists each field.
 *
 * @param uid the id of the authorization request.
 */
export function approvalPage(uid: string, buyer: DemoBuyer, asking: Asking): Html {
  const { seen, described, never } = assistantView(asking.isHosted);
  return markup` <p>
      You are signed in as <strong>${buyer.name}</strong>.
      <a href="/sign-in?to=/approve/${uid}">Not you?</a>
    </p>
    <p>
      <strong>${asking.name}</strong> (the name it gave itself) wants to read your price requests: the
      cars, the prices and the status of each. It will not get dealership names or contact details,
      distances, your ZIP code or the text of messages. It can only read. You can revoke this at any
      time under <a href="/approvals">Approvals</a>; access then ends at once.
    </p>
    <p class="note">
      It runs on ${asking.isHosted ? 'a server elsewhere' : 'this computer'}. After you answer, you
      return to <code>${placeOf(asking.redirectUri)}</code>. Its client id is
      <code>${asking.clientId}</code>.
    </p>
    ${answerForm(uid, buyer)}
    <details>
      <summary>Show every field (technical)</summary>
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
    <button name="answer" value="refuse">Decline</button>
  </form>`;
}

function list(fields: readonly ShownField[]): Html {
  return markup`<ul>
    ${fields.map(
      ({ name, description }) => markup`<li><code>${name}</code>: ${withCode(description)}</li>`,
    )}
  </ul>`;
}

/** Formats a description as HTML, with the parts in backticks as code. */
function withCode(description: string): Html {
  const parts = description.split('`');
  return markup`${parts.map((text, at) =>
    at % 2 === 1 ? markup`<code>${text}</code>` : markup`${text}`,
  )}`;
}

/** Returns the scheme and host of an address, or only the scheme if it has no host. */
export function placeOf(address: string): string {
  const { protocol, host } = new URL(address);
  return host === '' ? protocol : `${protocol}//${host}`;
}

/** A field as the page lists it. */
interface ShownField {
  /**
   * The field's name. It is prefixed with the name of its class if another list has a field of the
   * same name.
   */
  readonly name: string;
  readonly description: string;
}

/** The declared fields, grouped by what an assistant receives of each. */
interface AssistantView {
  readonly seen: readonly ShownField[];
  /** The fields whose value for an assistant is a description of the car instead of a name. */
  readonly described: readonly ShownField[];
  readonly never: readonly ShownField[];
}

interface DeclaredField extends ShownField {
  readonly dto: string;
  readonly list: keyof AssistantView;
}

/**
 * Groups the fields. The service redacts responses by the same declarations, so the page always
 * matches them.
 */
function assistantView(isHosted: boolean): AssistantView {
  const listOf: Readonly<Record<Visibility, keyof AssistantView>> = {
    same: 'seen',
    described: 'described',
    null: 'never',
    false: 'never',
    'unless-hosted': isHosted ? 'never' : 'seen',
  };
  const declared = reachableDtos([ListResponse, DealSetResponse]).flatMap((dto) =>
    Object.entries(fieldsOf(dto))
      // An object that only contains other fields has no information of its own.
      .filter(([, { type }]) => typeof type.type === 'string')
      .map(([name, { visibility, description }]): DeclaredField => {
        return { dto: dto.name, name, description, list: listOf[visibility.assistant] };
      }),
  );
  const fieldsIn = (list: keyof AssistantView): readonly ShownField[] =>
    shownFields(
      declared.filter((field) => field.list === list),
      declared.filter((field) => field.list !== list),
    );
  return { seen: fieldsIn('seen'), described: fieldsIn('described'), never: fieldsIn('never') };
}

/**
 * Returns the fields as the page lists them. A field that several classes have in common is listed
 * once, unless another list has a field of the same name.
 */
function shownFields(
  fields: readonly DeclaredField[],
  others: readonly DeclaredField[],
): readonly ShownField[] {
  const otherNames = new Set(others.map(({ name }) => name));
  const shown = new Map<string, ShownField>();
  for (const { dto, name, description } of fields) {
    const shownName = otherNames.has(name) ? `${dto}.${name}` : name;
    shown.set(`${shownName} ${description}`, { name: shownName, description });
  }
  return [...shown.values()];
}
