import assert from 'node:assert/strict';
import type { BenchIssuer } from './servers/bench-issuer.js';
import type { ServerProcess } from './servers/server-process.js';
import { LIST_PATH, type SignedInBuyer } from './load/scenarios.js';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly more: string | null;
  readonly asOf: string | null;
  readonly challenge: string | null;
}

/** What is asked of every server, and by whom. */
interface Question {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly says: string;
}

/** How far apart the clocks of two servers may be, in milliseconds. */
const CLOCK_MS = 10_000;
const NOBODYS_ID = '00000000-0000-4000-8000-000000000000';

/**
 * Asks every server the same and compares status, body and headers with the service's: bytes, or for a
 * peer that orders keys its own way, the JSON.
 *
 * @returns how many answers were compared for each server.
 * @throws when one differs.
 */
export async function proveSameAnswers(
  service: ServerProcess,
  peers: readonly ServerProcess[],
  buyers: readonly SignedInBuyer[],
  issuer: BenchIssuer,
): Promise<number> {
  const questions = [...(await refusals(buyers, issuer)), ...buyers.flatMap(readsOf)];
  let compared = 0;
  const compare = async (question: Question): Promise<Answer> => {
    const expected = await ask(service, question);
    for (const peer of peers) compareAnswers(peer, question, expected, await ask(peer, question));
    compared += 1;
    return expected;
  };
  for (const question of questions) await compare(question);
  for (const buyer of buyers.slice(0, 10)) {
    for (const headers of [buyer.session, buyer.assistant]) {
      let since = '1970-01-01T00:00:00Z';
      for (let page = 0, more = 'true'; more === 'true' && page < 100; page += 1) {
        const path = `${LIST_PATH}?since=${since}`;
        const answer = await compare({ path, headers, says: `page ${page} of a drain` });
        more = answer.more ?? '';
        since = answer.asOf ?? '';
      }
    }
  }
  return compared;
}

function readsOf(buyer: SignedInBuyer): Question[] {
  return [buyer.session, buyer.assistant].flatMap((headers) => [
    { path: LIST_PATH, headers, says: 'list' },
    { path: `${LIST_PATH}?since=2026-11-01T00:00:00Z`, headers, says: 'list of nothing new' },
    ...buyer.setIds.map((id) => ({ path: `${LIST_PATH}/${id}`, headers, says: 'one deal set' })),
  ]);
}

async function refusals(
  buyers: readonly SignedInBuyer[],
  issuer: BenchIssuer,
): Promise<Question[]> {
  const [buyer, other] = buyers;
  if (!buyer || !other) throw new Error('the proof needs two buyers');
  const onePath = `${LIST_PATH}/${buyer.setIds[0] ?? ''}`;
  const withoutScope = await issuer.token(buyer.id, 'requests:submit');
  const withoutGrant = await issuer.token(NOBODYS_ID);
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  return [
    { path: LIST_PATH, headers: {}, says: '401: no credential' },
    { path: LIST_PATH, headers: bearer('no.to.ken'), says: '401: no token' },
    { path: LIST_PATH, headers: bearer(withoutGrant), says: '401: no grant' },
    {
      path: LIST_PATH,
      headers: { cookie: `__Host-session=${'x'.repeat(43)}` },
      says: '401: no session',
    },
    { path: onePath, headers: bearer(withoutScope), says: '403: no scope' },
    { path: onePath, headers: other.session, says: "404: another buyer's" },
    { path: onePath, headers: other.assistant, says: "404: another buyer's, assistant" },
    { path: `${LIST_PATH}/${NOBODYS_ID}`, headers: buyer.session, says: '404: unknown' },
    {
      path: `${LIST_PATH}/${buyer.singleId}`,
      headers: buyer.session,
      says: '404: a single request',
    },
    { path: `${LIST_PATH}/no-uuid`, headers: buyer.session, says: '404: no UUID' },
    { path: `${LIST_PATH}?since=yesterday`, headers: buyer.session, says: '400: no time' },
  ];
}

async function ask({ url }: ServerProcess, { path, headers }: Question): Promise<Answer> {
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
  { says, path }: Question,
  ours: Answer,
  theirs: Answer,
): void {
  const what = `${name} answers otherwise than the service (${says}: ${path})`;
  if (name === 'D') {
    assert.deepEqual(JSON.parse(theirs.body), JSON.parse(ours.body), what);
  } else {
    assert.equal(theirs.body, ours.body, what);
  }
  assert.deepEqual({ ...theirs, body: '', asOf: '' }, { ...ours, body: '', asOf: '' }, what);
  // On the last page it comes from the clock.
  if (ours.more === 'true') assert.equal(theirs.asOf, ours.asOf, what);
  const apart = Math.abs(Date.parse(theirs.asOf ?? '0') - Date.parse(ours.asOf ?? '0'));
  assert.ok(apart < CLOCK_MS || (theirs.asOf ?? ours.asOf) === null, what);
}
