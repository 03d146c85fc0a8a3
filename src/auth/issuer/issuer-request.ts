import { IssuerFailure, type IssuerFailureReason } from './issuer-failure.js';

/** The options that jose and oauth4webapi pass to `fetch`, which include the time limit. */
type FetchOptions = Omit<RequestInit, 'redirect'> & { readonly redirect: 'manual' };

/** Maximum length of a document. Real key sets and metadata have a few kilobytes. */
const MAX_BYTES = 256 * 1024;

/** The reasons by the names of the errors that `fetch` and `JSON.parse` throw. */
const REASONS: Readonly<Record<string, IssuerFailureReason>> = {
  TimeoutError: 'too_slow',
  SyntaxError: 'not_json',
};

/**
 * Requests a JSON document of the issuer. Redirects are not followed.
 *
 * @throws {IssuerFailure} if the response is anything other than a complete 200 response with JSON
 *   of at most 256 KiB.
 */
export async function requestJson(url: string, options: FetchOptions): Promise<unknown> {
  try {
    const response = await fetch(url, options);
    if (response.status === 200) return JSON.parse(await readText(response.body));
    await response.body?.cancel();
    const isRedirect = response.status >= 300 && response.status < 400;
    throw new IssuerFailure(isRedirect ? 'redirect' : 'not_200');
  } catch (error) {
    if (error instanceof IssuerFailure) throw error;
    throw new IssuerFailure(REASONS[(error as Error).name] ?? 'unreachable', error);
  }
}

/** Reads a body, and stops at the maximum length. Leaving the loop cancels the response. */
async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new IssuerFailure('too_large');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
