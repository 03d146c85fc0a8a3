import assert from 'node:assert/strict';
import type { TestIssuer } from '../packages/testing/src/test-issuer.js';
import { bearer, byTool, LIST_PATH, NOTHING_NEW, type SignedInBuyer } from './scenarios.js';
import type { ServerProcess } from './server-process.js';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly more: string | null;
  readonly asOf: string | null;
  readonly challenge: string | null;
}

type Headers = Readonly<Record<string, string>>;

/** The largest allowed difference between the clocks of two servers, in milliseconds. */
const CLOCK_MS = 10_000;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
/** The number of buyers whose complete feed is read, page by page. */
const DRAINED = 10;

/** The server that only returns deal sets, without sign-in and without headers of the contract. */
const FLOOR = 'floor';

/**
 * Sends the same requests to every server and compares status, body and headers with those of the
 * first server, which is the service. Bodies are compared byte by byte. Of the floor, only the
 * bodies of deal sets are compared.
 *
 * @returns the number of compared requests.
 * @throws {assert.AssertionError} if a response differs.
 */
export async function proveSameAnswers(
  [service, ...all]: readonly ServerProcess[],
  buyers: readonly SignedInBuyer[],
  issuer: TestIssuer,
): Promise<number> {
  const others = all.filter(({ name }) => name !== FLOOR);
  const floors = all.filter(({ name }) => name === FLOOR);
  let compared = 0;
  const compare = async (path: string, headers: Headers): Promise<Answer> => {
    const expected = await ask(service!, path, headers);
    for (const other of others)
      compareAnswers(other, path, expected, await ask(other, path, headers));
    compared += 1;
    return expected;
  };
  for (const [path, headers] of await refusals(buyers, issuer)) await compare(path, headers);
  for (const [at, { session, assistant, setIds }] of buyers.entries()) {
    for (const headers of [session, assistant]) {
      for (const rest of ['', NOTHING_NEW]) await compare(LIST_PATH + rest, headers);
      for (const id of setIds) {
        const path = `${LIST_PATH}/${id}`;
        const { body } = await compare(path, headers);
        for (const floor of floors)
          assert.equal((await ask(floor, path, headers)).body, body, `the body of ${path} differs`);
      }
      let since: string | null = at < DRAINED ? '1970-01-01T00:00:00Z' : null;
      while (since !== null) {
        const { more, asOf } = await compare(`${LIST_PATH}?since=${since}`, headers);
        since = more === 'true' ? asOf : null;
      }
    }
  }
  await compareToolCall(service!, buyers[0]!);
  return compared + 1;
}

/** Compares what an assistant gets of a deal set through a tool with what it gets over REST. */
async function compareToolCall(service: ServerProcess, buyer: SignedInBuyer): Promise<void> {
  const { body } = await ask(service, `${LIST_PATH}/${buyer.setIds[0]}`, buyer.assistant);
  const [{ path, ...call }] = byTool(buyer, 0) as [ReturnType<typeof byTool>[number]];
  const response = await fetch(service.url + path, call);
  const { result } = (await response.json()) as { result?: { structuredContent?: unknown } };
  const what = 'the result of the tool differs from the response over REST';
  assert.deepEqual(result?.structuredContent, JSON.parse(body), what);
}

async function refusals(
  [buyer, other]: readonly SignedInBuyer[],
  issuer: TestIssuer,
): Promise<[path: string, headers: Headers][]> {
  if (!buyer || !other) throw new Error('the proof needs two buyers');
  const onePath = `${LIST_PATH}/${buyer.setIds[0] ?? ''}`;
  return [
    [LIST_PATH, {}],
    [LIST_PATH, { authorization: 'Bearer no.to.ken' }],
    // The token's buyer has not approved the assistant.
    [LIST_PATH, await bearer(issuer, UNKNOWN_ID)],
    [LIST_PATH, { cookie: `__Host-session=${'x'.repeat(43)}` }],
    [onePath, await bearer(issuer, buyer.id, 'requests:submit')],
    [onePath, other.session],
    [onePath, other.assistant],
    [`${LIST_PATH}/${UNKNOWN_ID}`, buyer.session],
    [`${LIST_PATH}/${buyer.singleId}`, buyer.session],
    [`${LIST_PATH}/no-uuid`, buyer.session],
    [`${LIST_PATH}?since=yesterday`, buyer.session],
  ];
}

async function ask({ url }: ServerProcess, path: string, headers: Headers): Promise<Answer> {
  const response = await fetch(url + path, { headers });
  return {
    status: response.status,
    body: await response.text(),
    more: response.headers.get('service-more'),
    asOf: response.headers.get('service-as-of'),
    challenge: response.headers.get('www-authenticate'),
  };
}

function compareAnswers({ name }: ServerProcess, path: string, ours: Answer, theirs: Answer): void {
  const what = `the response of ${name} differs from the service's: ${path}`;
  assert.equal(theirs.body, ours.body, what);
  assert.deepEqual({ ...theirs, body: '', asOf: '' }, { ...ours, body: '', asOf: '' }, what);
  // On the last page the watermark depends on the clock, so it may differ a little.
  if (ours.more === 'true') assert.equal(theirs.asOf, ours.asOf, what);
  const apart = Math.abs(Date.parse(theirs.asOf ?? '0') - Date.parse(ours.asOf ?? '0'));
  assert.ok(apart < CLOCK_MS || (theirs.asOf ?? ours.asOf) === null, what);
}
