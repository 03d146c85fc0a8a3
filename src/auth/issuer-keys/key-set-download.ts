/** Far more than a key set needs; a longer response is aborted. */
const MAX_BYTES = 65_536;

/**
 * Gets a key set's text. The address is the configured one and no other: a redirect is a failure.
 *
 * @param limitMs for the whole exchange, the last byte included.
 * @throws on anything but a complete 200 in time and size.
 */
export async function downloadKeySet(
  url: string,
  limitMs: number,
  stop: AbortSignal,
): Promise<string> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.any([stop, AbortSignal.timeout(limitMs)]),
  });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error('JWKS response status is not 200');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the body and with it the connection.
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error('the key set is too long');
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
