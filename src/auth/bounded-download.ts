/** Maximum size of a document. Key sets and issuer metadata are much smaller. */
const MAX_BYTES = 65_536;

/**
 * Downloads a document of the issuer. Redirects are not followed.
 *
 * @param accept the `Accept` header of the request.
 * @throws if the response is anything other than a complete 200 response in UTF-8 of at most 64
 *   KiB.
 */
export async function downloadText(
  url: string,
  accept: string,
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch(url, { redirect: 'error', headers: { accept }, signal });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error('issuer response status is not 200');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the body and with it the connection.
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error('issuer response too long');
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
