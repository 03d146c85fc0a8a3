import { IssuerFailure, type IssuerFailureReason } from './issuer-failure.js';

/** The options that jose and oauth4webapi pass to `fetch`, which include the time limit. */
type FetchOptions = Omit<RequestInit, 'redirect'> & { readonly redirect: 'manual' };

/** The reasons by the names of the errors that `fetch` and `Response.json` throw. */
const REASONS: Readonly<Record<string, IssuerFailureReason>> = {
  TimeoutError: 'too_slow',
  SyntaxError: 'not_json',
};

/**
 * Requests a JSON document of the issuer. Redirects are not followed.
 *
 * @throws {IssuerFailure} if the response is anything other than a complete 200 response with JSON.
 */
export async function requestJson(url: string, options: FetchOptions): Promise<unknown> {
  try {
    const response = await fetch(url, options);
    if (response.status === 200) return await response.json();
    await response.body?.cancel();
    const isRedirect = response.status >= 300 && response.status < 400;
    throw new IssuerFailure(isRedirect ? 'redirect' : 'not_200');
  } catch (error) {
    if (error instanceof IssuerFailure) throw error;
    throw new IssuerFailure(REASONS[(error as Error).name] ?? 'unreachable', error);
  }
}
