import assert from 'node:assert/strict';
import type { TestIssuer } from '../../packages/testing/src/test-issuer.js';
import { bearer, LIST_PATH, NOTHING_NEW, type SignedInBuyer } from './load/scenarios.js';
import type { ServerProcess } from './servers/server-process.js';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly more: string | null;
  readonly asOf: string | null;
  readonly challenge: string | null;
}

/** What is asked, with whose credentials, and why. */
type Question = readonly [
  path: string,
  headers: Readonly<Record<string, string>>,
  description: string,
];

/** How far apart the clocks of two servers may be, in milliseconds. */
const CLOCK_MS = 10_000;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
/** Buyers whose whole feed is read, page by page. */
const DRAINED = 10;

/**
 * Asks every server the same and compares status, body and headers with the service's: bytes, or for server D,
 * which orders keys its own way, the JSON.
 *
 * @returns how many answers were compared for each server.
 * @throws {assert.AssertionError} when one differs.
 */
export async function proveSameAnswers(
  service: ServerProcess,
  others: readonly ServerProcess[],
  buyers: readonly SignedInBuyer[],
  issuer: TestIssuer,
): Promise<number> {
  let compared = 0;
  const compare = async (question: Question): Promise<Answer> => {
    const expected = await ask(service, question);
    for (const other of others)
      compareAnswers(other, question, expected, await ask(other, question));
    compared += 1;
    return expected;
  };
  for (const question of [...(await refusals(buyers, issuer)), ...buyers.flatMap(readsOf)])
    await compare(question);
  for (const { session, assistant } of buyers.slice(0, DRAINED)) {
    for (const headers of [session, assistant]) {
      let since: string | null = '1970-01-01T00:00:00Z';
      for (let more: string | null = 'true'; more === 'true' && since !== null;) {
        const path: string = `${LIST_PATH}?since=${since}`;
        ({ more, asOf: since } = await compare([path, headers, 'a page of the feed']));
      }
    }
  }
  return compared;
}

function readsOf({ session, assistant, setIds }: SignedInBuyer): Question[] {
  return [session, assistant].flatMap((headers): Question[] => [
    [LIST_PATH, headers, 'list'],
    [LIST_PATH + NOTHING_NEW, headers, 'list of nothing new'],
    ...setIds.map((id): Question => [`${LIST_PATH}/${id}`, headers, 'one deal set']),
  ]);
}

async function refusals(
  [buyer, other]: readonly SignedInBuyer[],
  issuer: TestIssuer,
): Promise<Question[]> {
  if (!buyer || !other) throw new Error('the proof needs two buyers');
  const onePath = `${LIST_PATH}/${buyer.setIds[0] ?? ''}`;
  const unknownSession = { cookie: `__Host-session=${'x'.repeat(43)}` };
  return [
    [LIST_PATH, {}, '401: no credential'],
    [LIST_PATH, { authorization: 'Bearer no.to.ken' }, '401: no token'],
    [LIST_PATH, await bearer(issuer, UNKNOWN_ID), '401: no grant'],
    [LIST_PATH, unknownSession, '401: no session'],
    [onePath, await bearer(issuer, buyer.id, 'requests:submit'), '403: no scope'],
    [onePath, other.session, "404: another buyer's"],
    [onePath, other.assistant, "404: another buyer's, assistant"],
    [`${LIST_PATH}/${UNKNOWN_ID}`, buyer.session, '404: unknown'],
    [`${LIST_PATH}/${buyer.singleId}`, buyer.session, '404: a single request'],
    [`${LIST_PATH}/no-uuid`, buyer.session, '404: no UUID'],
    [`${LIST_PATH}?since=yesterday`, buyer.session, '400: no time'],
  ];
}

async function ask({ url }: ServerProcess, [path, headers]: Question): Promise<Answer> {
  const response = await fetch(url + path, { headers });
  return {
    status: response.status,
    body: await response.text(),
    more: response.headers.get('service-more'),
    asOf: response.headers.get('service-as-of'),
    challenge: response.headers.get('www-authenticate'),
  };
}

function compareAnswers(
  { name }: ServerProcess,
  [path, , description]: Question,
  ours: Answer,
  theirs: Answer,
): void {
  const what = `${name} answers otherwise than the service (${description}: ${path})`;
  if (name === 'D') assert.deepEqual(JSON.parse(theirs.body), JSON.parse(ours.body), what);
  else assert.equal(theirs.body, ours.body, what);
  assert.deepEqual({ ...theirs, body: '', asOf: '' }, { ...ours, body: '', asOf: '' }, what);
  // On the last page it comes from the clock.
  if (ours.more === 'true') assert.equal(theirs.asOf, ours.asOf, what);
  const apart = Math.abs(Date.parse(theirs.asOf ?? '0') - Date.parse(ours.asOf ?? '0'));
  assert.ok(apart < CLOCK_MS || (theirs.asOf ?? ours.asOf) === null, what);
}
