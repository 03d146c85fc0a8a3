/** The scope of both read endpoints (contract, section 5). */
export const READ_SCOPE = 'offers:read';

/**
 * An assistant's id: printable ASCII (RFC 6749, appendix A.1) without blanks, as approvals store
 * it.
 */
export const CLIENT_ID = /^[\x21-\x7E]{1,256}$/;

/**
 * The buyer, signed in on the website. A session has no scopes: they limit what a buyer delegates
 * to an assistant.
 */
export interface SessionPrincipal {
  readonly type: 'session';
  readonly buyerId: string;
}

/** An AI assistant that the buyer approved and that acts with an access token. */
export interface AssistantPrincipal {
  readonly type: 'assistant';
  readonly buyerId: string;
  /** The assistant's id: `act.sub` of the token if present, otherwise that of its client. */
  readonly clientId: string;
  /** The scopes that the token and the buyer's grant both hold. */
  readonly scopes: ReadonlySet<string>;
  /**
   * Whether the assistant is hosted. The field `isVerifiedPartner` is withheld from a hosted
   * assistant.
   */
  readonly isHosted: boolean;
  /** Whether the buyer's account was granted the `changes` object. */
  readonly seesChanges: boolean;
}

/**
 * The authenticated caller. It is always built from verified data, and its type decides what is
 * visible.
 */
export type Principal = SessionPrincipal | AssistantPrincipal;

/** The type of a principal: `session` or `assistant`. */
export type PrincipalType = Principal['type'];

/**
 * A value for each principal type. When a type is added, code that lacks a value for it does not
 * compile.
 */
export type ByPrincipalType<T> = Readonly<Record<PrincipalType, T>>;

const EVERY_TYPE: ByPrincipalType<true> = { session: true, assistant: true };
/** All principal types. */
export const PRINCIPAL_TYPES = Object.keys(EVERY_TYPE) as readonly PrincipalType[];

/**
 * Returns a frozen copy of a principal, with its own set of scopes, so that no handler can change
 * the identity. The type of the set is read-only; the set itself is not frozen.
 */
export function frozenPrincipal<P extends Principal>(principal: P): P {
  const scopes = principal.type === 'assistant' && { scopes: new Set(principal.scopes) };
  return Object.freeze<P>({ ...principal, ...scopes });
}

/**
 * Calls the function for the principal's type and returns its result. A missing case does not
 * compile.
 */
export function matchPrincipal<T>(
  principal: Principal,
  cases: { readonly [K in PrincipalType]: (principal: Extract<Principal, { type: K }>) => T },
): T {
  return (cases[principal.type] as (principal: Principal) => T)(principal);
}
