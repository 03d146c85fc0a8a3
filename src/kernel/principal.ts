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

/** What differs by type is written so: a further type does not compile until each place has decided about it. */
export type ByPrincipalType<T> = Readonly<Record<PrincipalType, T>>;

const EVERY_TYPE: ByPrincipalType<true> = { session: true, assistant: true };
export const PRINCIPAL_TYPES = Object.keys(EVERY_TYPE) as readonly PrincipalType[];

/** Who calls is decided once: no endpoint can make another of it, nor widen its scopes. */
export function frozenPrincipal<P extends Principal>(principal: P): P {
  return Object.freeze<P>({ ...principal, scopes: new Set(principal.scopes) });
}

export function matchPrincipal<T>(
  principal: Principal,
  cases: { readonly [K in PrincipalType]: (principal: Extract<Principal, { type: K }>) => T },
): T {
  return (cases[principal.type] as (principal: Principal) => T)(principal);
}
