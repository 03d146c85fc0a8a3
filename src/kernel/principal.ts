/** The scope of both read endpoints (contract, section 5). */
export const READ_SCOPE = 'offers:read';

/** An assistant's id: printable ASCII (RFC 6749, appendix A.1) without blanks, as approvals are kept. */
export const CLIENT_ID = /^[\x21-\x7E]{1,256}$/;

/** The buyer herself, signed in on the website. */
export interface SessionPrincipal {
  readonly type: 'session';
  readonly buyerId: string;
  readonly scopes: ReadonlySet<string>;
}

/** An AI assistant that the buyer approved; it acts with an access token. */
export interface AssistantPrincipal {
  readonly type: 'assistant';
  readonly buyerId: string;
  /** The assistant's id: `act.sub` of the token where present, else its `client_id`. */
  readonly clientId: string;
  /** The scopes that the token and the buyer's grant both hold. */
  readonly scopes: ReadonlySet<string>;
  /** Verified partners are withheld from a hosted assistant. */
  readonly isHosted: boolean;
  /** Whether the buyer's account was granted the `changes` object. */
  readonly seesChanges: boolean;
}

/** Who reads. Always made from verified data; the type decides what may be seen. */
export type Principal = SessionPrincipal | AssistantPrincipal;

export type PrincipalType = Principal['type'];

/**
 * One value for each principal type. What differs by type is written as such a record, so that a further
 * type does not compile until each place has decided about it.
 */
export type ByPrincipalType<T> = Readonly<Record<PrincipalType, T>>;

const EVERY_TYPE: ByPrincipalType<true> = { session: true, assistant: true };

export const PRINCIPAL_TYPES = Object.keys(EVERY_TYPE) as readonly PrincipalType[];

/** The principal, frozen, with scopes of its own: who calls is decided once, and no endpoint can make another of it. */
export function frozenPrincipal<P extends Principal>(principal: P): P {
  const frozen: P = { ...principal, scopes: new Set(principal.scopes) };
  return Object.freeze(frozen);
}

/** Calls the case of the principal's own type. */
export function matchPrincipal<T>(
  principal: Principal,
  cases: { readonly [K in PrincipalType]: (principal: Extract<Principal, { type: K }>) => T },
): T {
  const decide = cases[principal.type] as (principal: Principal) => T;
  return decide(principal);
}
