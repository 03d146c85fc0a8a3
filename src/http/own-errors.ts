import { ERROR_CATALOGUE } from './error-catalogue.js';

/**
 * An error of a team's endpoint, listed in its `errors`. The handler throws it as Nest's own exception:
 *
 *     throw new HttpException({ code: 'note_locked', message: 'The note is locked.' }, 423);
 */
export interface OwnError {
  /** From 400 to 599. */
  readonly status: number;
  /** Lower-case words joined by `_`, none of the service's codes. */
  readonly code: string;
  /** When it happens, for the API description. */
  readonly description: string;
}

const CODE = /^[a-z][a-z0-9_]*$/;

/** What is wrong with a declaration. Types do not bind a caller in JavaScript. */
export function problemsOf({ status, code }: OwnError): string[] {
  const isGood =
    CODE.test(code) &&
    !Object.hasOwn(ERROR_CATALOGUE, code) &&
    Number.isInteger(status) &&
    status >= 400 &&
    status <= 599;
  return isGood ? [] : [`own error ${code}: expected a new code and a status from 400 to 599`];
}
