/** The scope both read endpoints ask for (contract, section 5). */
export const READ_SCOPE = 'offers:read';

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
  /** A hosted assistant is not told which dealerships are Verified partners. */
  readonly isHosted: boolean;
  /** Whether the buyer's account was granted the `changes` object. */
  readonly seesChanges: boolean;
}

/** Who reads. Always made from verified data; the type decides what may be seen. */
export type Principal = SessionPrincipal | AssistantPrincipal;

export type PrincipalType = Principal['type'];

export const PRINCIPAL_TYPES: readonly PrincipalType[] = ['session', 'assistant'];
