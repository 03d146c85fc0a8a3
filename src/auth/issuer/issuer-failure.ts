/**
 * Why a download from the issuer failed, for the log. The set is closed, and
 * `docs/operations/run.md` explains each word.
 */
export type IssuerFailureReason =
  | 'unreachable'
  | 'too_slow'
  | 'redirect'
  | 'not_200'
  | 'too_large'
  | 'not_json'
  | 'issuer_mismatch'
  | 'no_jwks_uri'
  | 'no_key';

/** Thrown when the issuer's metadata or key set could not be downloaded or used. */
export class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure';

  /** @param cause the underlying error. Its message is never logged. */
  constructor(
    readonly reason: IssuerFailureReason,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}
