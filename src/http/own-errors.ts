import { ERROR_CATALOGUE } from './error-catalogue.js';

/**
 * Statuses that an error of a team may have. The others are the service's: their meaning, challenge or
 * `Retry-After` are set by the contract.
 */
export const OWN_ERROR_STATUSES = [400, 402, 409, 410, 412, 413, 415, 422, 423, 424, 428] as const;

/** An error of a team: a code with its status and text. */
export interface OwnError {
  readonly status: (typeof OWN_ERROR_STATUSES)[number];
  /** Lower-case words joined by `_`, none of the service's codes. */
  readonly code: string;
  /** Constant public text. */
  readonly message: string;
  /** When it happens, for the API description. */
  readonly description: string;
}

/**
 * Thrown for an error of a team, from any part of a request: a handler, a service, a guard or an interceptor.
 * The error must be declared, in `errors` of the extensions or of the called endpoint; one that is not is
 * answered 500 `internal`.
 *
 *     throw new DeclaredError(noteLocked);
 */
export class DeclaredError extends Error {
  override readonly name = 'DeclaredError';

  constructor(
    readonly declared: OwnError,
    options?: ErrorOptions,
  ) {
    super(declared.code, options);
  }
}

const CODE = /^[a-z][a-z0-9_]*$/;

/** The errors that a team declares for the whole application. */
export class OwnErrors {
  /** @throws {Error} with one line for each error that is declared wrongly. */
  constructor(readonly all: readonly OwnError[] = []) {
    const problems = all.flatMap((error) => problemsOf(error).map((what) => `errors: ${what}`));
    const codes = all.map(({ code }) => code);
    problems.push(
      ...codes
        .filter((code, index) => codes.indexOf(code) !== index)
        .map((code) => `errors: ${code} is declared twice`),
    );
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }
}

/** What is wrong with a declaration. Types do not bind a caller in JavaScript. */
export function problemsOf({ status, code, message }: OwnError): string[] {
  const isGood =
    CODE.test(code) &&
    !Object.hasOwn(ERROR_CATALOGUE, code) &&
    OWN_ERROR_STATUSES.includes(status) &&
    typeof message === 'string' &&
    message !== '';
  return isGood
    ? []
    : [
        `own error ${code}: a new code, a message and one status of ${OWN_ERROR_STATUSES.join(', ')}`,
      ];
}
