import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoToken } from './demo-guide.js';

const FILE = 'demo-issuer.json';
const ANSWER_LIMIT_MS = 5_000;

/** How a command reaches the issuer of a demo that runs in the same folder. */
export interface DemoIssuer {
  /** Its address, without a slash at its end. */
  readonly issuer: string;
  readonly secret: string;
}

/**
 * Lets the commands of this folder ask this process for tokens, by a file only its owner can read.
 *
 * @param directory for files of this installation. Default: `.data` in the working directory.
 * @returns removes the file, unless another demo has replaced it.
 */
export function publishDemoIssuer(demo: DemoIssuer, directory = '.data'): () => void {
  const file = join(directory, FILE);
  mkdirSync(directory, { recursive: true });
  // Removed first: the mode is that of a new file.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(demo), { mode: 0o600, flag: 'wx' });
  return () => {
    if (findDemoIssuer(directory)?.secret === demo.secret) rmSync(file, { force: true });
  };
}

/** The demo that was started in this folder last; undefined when there is none, or it has ended in order. */
export function findDemoIssuer(directory = '.data'): DemoIssuer | undefined {
  try {
    const { issuer, secret } = JSON.parse(readFileSync(join(directory, FILE), 'utf8')) as Record<
      string,
      unknown
    >;
    return typeof issuer === 'string' && typeof secret === 'string'
      ? { issuer, secret }
      : undefined;
  } catch {
    return undefined;
  }
}

/** @returns a token; undefined when nothing answers there, as after a demo that was killed. */
export async function askDemoIssuer(
  { issuer, secret }: DemoIssuer,
  { buyerId, clientId, scope, ttlSeconds }: DemoToken,
): Promise<string | undefined> {
  const response = await fetch(`${issuer}/demo/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: new URLSearchParams({ buyerId, clientId, scope, ttlSeconds: String(ttlSeconds) }),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  }).catch(() => undefined);
  if (!response?.ok) return undefined;
  const { access_token: token } = (await response.json()) as Record<string, unknown>;
  return typeof token === 'string' ? token : undefined;
}

/** What the form of {@link askDemoIssuer} asks for; undefined when it is none. */
export function demoTokenRequest(form: URLSearchParams): DemoToken | undefined {
  const [buyerId, clientId, scope] = ['buyerId', 'clientId', 'scope'].map((name) => form.get(name));
  const ttlSeconds = Number(form.get('ttlSeconds'));
  if (!buyerId || !clientId || typeof scope !== 'string') return undefined;
  return Number.isSafeInteger(ttlSeconds) && ttlSeconds > 0
    ? { buyerId, clientId, scope, ttlSeconds }
    : undefined;
}
