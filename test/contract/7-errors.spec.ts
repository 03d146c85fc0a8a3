import { dealSet } from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import type { Credential, JsonResponse } from '../setup/test-service.js';
import { BEGINNING, ContractService, PRINCIPALS } from './contract-service.js';
import type { Reader } from '../setup/world.js';

const contract = ContractService.forFile();

interface Place {
  readonly list: string;
  readonly poll: string;
  readonly get: string;
}
type Answers = (caller: Credential, place: Place) => Promise<JsonResponse[]>;

const call = (caller: Credential, ...paths: readonly string[]): Promise<JsonResponse[]> =>
  Promise.all(paths.map((path) => contract.service.get(path, caller)));

/** Runs an SQL statement, makes the calls at both endpoints, and runs another one. */
const between =
  (before: string, after: string): Answers =>
  async (caller, { list, poll, get }) => {
    const { database } = contract.service;
    await database.query(before);
    try {
      return await call(caller, list, poll, get);
    } finally {
      await database.query(after);
    }
  };

/** A list reads the row of the request itself; a get reads the deal set. */
const renamed = (from: string, to: string): string =>
  ['deal_set', 'request_feed']
    .map((table) => `ALTER TABLE deal_sets.${table} RENAME COLUMN ${from} TO ${to}`)
    .join(';');

/** A policy that makes each read of these tables fail as if the server were too busy. */
const BUSY = ['deal_set', 'request_feed'];
const busy = `
  CREATE FUNCTION public.busy() RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'busy' USING ERRCODE = '53300'; END $$;
  ${BUSY.map(
    (table) => `ALTER TABLE deal_sets.${table} ENABLE ROW LEVEL SECURITY;
      CREATE POLICY busy ON deal_sets.${table} USING (public.busy());`,
  ).join('')}`;
const idle = `
  ${BUSY.map(
    (table) => `DROP POLICY busy ON deal_sets.${table};
      ALTER TABLE deal_sets.${table} DISABLE ROW LEVEL SECURITY;`,
  ).join('')}
  DROP FUNCTION public.busy()`;

/** Each error of both endpoints, or of the list, and how a caller gets it. */
const ERRORS: readonly (readonly [status: number, code: string, answers: Answers])[] = [
  [400, 'invalid_request', (caller, { list }) => call(caller, `${list}?since=yesterday`)],
  [401, 'unauthenticated', (_caller, { list, poll, get }) => call(undefined, list, poll, get)],
  [404, 'not_found', (caller, { list }) => call(caller, `${list}/${crypto.randomUUID()}`)],
  [
    429,
    'rate_limited',
    async (caller, { list, poll, get }) => {
      let status = 200;
      while (status === 200) ({ status } = await contract.service.send('GET', list, caller));
      return call(caller, list, poll, get);
    },
  ],
  [500, 'internal', between(renamed('car_model', 'gone'), renamed('gone', 'car_model'))],
  [503, 'unavailable', between(busy, idle)],
];

describe.each(PRINCIPALS)('7 errors, for the %s', (principal) => {
  let reader: Reader;
  let place: Place;
  beforeEach(async () => {
    reader = await contract.newReader();
    const set = dealSet({ buyerId: reader.id });
    await contract.insert(set);
    place = { list: LIST, poll: `${LIST}?since=${BEGINNING}`, get: `${LIST}/${set.id}` };
  });

  it.each(ERRORS)(
    '7 %i is %s, in the envelope, with the headers of every answer, and without data',
    async (status, code, answers) => {
      for (const response of await answers(reader[principal], place)) {
        expect([response.status, response.body]).toEqual([
          status,
          { error: { code, message: expect.stringMatching(/\w/) as string } },
        ]);
        expect(response.headers).toMatchObject({
          'cache-control': 'private, no-store',
          'service-api-version': '2026-10-13',
        });
        expect(response.headers).not.toHaveProperty('service-as-of');
        expect(response.headers).not.toHaveProperty('service-more');
        // Neither the statement nor the driver's words.
        expect(response.text).not.toMatch(/column|car_model|deal_set\b|SELECT|busy|42703|53300/);
      }
      const isOver = code === 'rate_limited';
      const { status: later } = await contract.service.get(place.get, reader[principal]);
      expect(later).toBe(isOver ? 429 : 200);
    },
  );
});

describe('7 errors, for an assistant without the scope', () => {
  it('7 403 is insufficient_scope, in the envelope, with the headers of every answer', async () => {
    const { id } = await contract.newReader();
    const token = await contract.service.tokenFor(id, { scope: 'requests:submit' });
    for (const { status, body, headers } of await call(token, LIST, `${LIST}/${id}`)) {
      expect([status, body]).toMatchObject([403, { error: { code: 'insufficient_scope' } }]);
      expect(headers).toMatchObject({
        'cache-control': 'private, no-store',
        'service-api-version': '2026-10-13',
      });
    }
  });
});
