/**
 * An error that an endpoint of a host application declares in addition to those of the contract.
 * Its handler throws it as Nest's own exception, and the response carries its code, status and
 * message:
 *
 *     throw new HttpException({ code: 'note_locked', message: 'The note is locked.' }, 423);
 */
export interface EndpointError {
  /** HTTP status, from 400 to 599. */
  readonly status: number;
  /** Lower-case words joined by `_`. It must differ from the contract's codes. */
  readonly code: string;
  /** When the error happens, for the API description. */
  readonly description: string;
}
