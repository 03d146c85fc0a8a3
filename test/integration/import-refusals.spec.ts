import { randomUUID } from 'node:crypto';
import { ImportRefused } from '../../src/import/problems.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  ndjson,
  priceCheck,
  question,
  reply,
  session,
} from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';

describe('an import refuses the whole file', () => {
  let database: TestDatabase;
  const anna = buyer();
  const ben = buyer();
  const fremont = dealership();
  const annasSet = dealSet({ buyerId: anna.id });
  const annasRow = priceCheck({
    buyerId: anna.id,
    dealershipId: fremont.id,
    dealSetId: annasSet.id,
  });
  const bensSingle = priceCheck({ buyerId: ben.id, dealershipId: fremont.id });
  const annasSession = session({ buyerId: anna.id });
  const annasGrant = grant({ buyerId: anna.id });
  const annasQuestion = question({ priceCheckId: annasRow.id });
  const annasDraft = draft({ priceCheckId: annasRow.id });
  const annasReply = reply({ priceCheckId: annasRow.id });

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [
      anna,
      ben,
      fremont,
      annasSet,
      annasRow,
      bensSingle,
      annasSession,
      annasGrant,
      annasQuestion,
      annasDraft,
      annasReply,
    ]);
  });
  afterAll(() => database.drop());

  async function refusal(records: readonly object[] | string, isBackfill = false): Promise<string> {
    const problem: unknown = await load(database, records, { isBackfill }).catch(
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(ImportRefused);
    return (problem as ImportRefused).message;
  }

  /** Of a file whose second line is wrong. */
  async function expectRefused(wrong: object, reason: string): Promise<void> {
    const before = await everything(database);
    expect(await refusal([buyer(), wrong])).toBe(`line 2: ${reason}`);
    expect(await everything(database)).toEqual(before);
  }
  const of = { buyerId: anna.id, dealershipId: fremont.id };

  it.each([
    ['session.buyerId', 'buyer', session({ buyerId: UNKNOWN })],
    ['grant.buyerId', 'buyer', grant({ buyerId: UNKNOWN })],
    ['dealSet.buyerId', 'buyer', dealSet({ buyerId: UNKNOWN })],
    ['priceCheck.buyerId', 'buyer', priceCheck({ ...of, buyerId: UNKNOWN })],
    ['priceCheck.dealershipId', 'dealership', priceCheck({ ...of, dealershipId: UNKNOWN })],
    ['priceCheck.dealSetId', 'dealSet', priceCheck({ ...of, dealSetId: UNKNOWN })],
    ['question.priceCheckId', 'priceCheck', question({ priceCheckId: UNKNOWN })],
    ['draft.priceCheckId', 'priceCheck', draft({ priceCheckId: UNKNOWN })],
    ['reply.priceCheckId', 'priceCheck', reply({ priceCheckId: UNKNOWN })],
  ])('for a %s that names no %s', (key, kind, wrong) =>
    expectRefused(wrong, `${key}: names no ${kind} of this file or of the database`),
  );

  it.each([
    ['dealSet', dealSet({ id: annasSet.id, buyerId: ben.id })],
    ['priceCheck', priceCheck({ ...of, id: annasRow.id, buyerId: ben.id })],
    ['session', session({ id: annasSession.id, buyerId: ben.id })],
    ['grant', grant({ id: annasGrant.id, buyerId: ben.id })],
    ['question', question({ id: annasQuestion.id, priceCheckId: bensSingle.id })],
    ['draft', draft({ id: annasDraft.id, priceCheckId: bensSingle.id })],
    ['reply', reply({ id: annasReply.id, priceCheckId: bensSingle.id })],
  ])("for a %s under the id of another buyer's", (record, wrong) =>
    expectRefused(wrong, `${record}.id: belongs to another buyer`),
  );

  it.each<[reason: string, wrong: object]>([
    [
      "priceCheck.dealSetId: is another buyer's deal set",
      priceCheck({ ...of, buyerId: ben.id, dealSetId: annasSet.id }),
    ],
    [
      'grant.clientId: has another grant of this buyer that is not revoked',
      grant({ buyerId: anna.id, clientId: annasGrant.clientId }),
    ],
    [
      'session.tokenSha256: is that of another session',
      session({ buyerId: ben.id, tokenSha256: annasSession.tokenSha256 }),
    ],
    [
      'dealSet.latestActivityAt: must not lie in the future',
      dealSet({ buyerId: anna.id, latestActivityAt: '2999-01-01T00:00:00Z' }),
    ],
    ['buyer.name: is not a key of this record', { ...buyer(), name: 'Anna' }],
    [
      'record: must be one of buyer, dealership, session, grant, dealSet, priceCheck, question, draft, reply, erasedBuyer, end',
      { record: 'order' },
    ],
  ])('because %s', (reason, wrong) => expectRefused(wrong, reason));

  it('for one id under two buyers of the file', async () => {
    const id = randomUUID();
    const records = [dealSet({ id, buyerId: anna.id }), dealSet({ id, buyerId: ben.id })];
    expect(await refusal(records)).toBe('line 2: dealSet.id: belongs to another buyer');
  });

  it('for two live grants of the file, and for one hash twice in it', async () => {
    const grants = [1, 2].map(() => grant({ buyerId: ben.id, clientId: 'twice' }));
    expect(await refusal(grants)).toBe(
      'line 2: grant.clientId: has another grant of this buyer that is not revoked',
    );
    const tokenSha256 = 'ab'.repeat(32);
    const sessions = [1, 2].map(() => session({ buyerId: ben.id, tokenSha256 }));
    expect(await refusal(sessions)).toBe('line 2: session.tokenSha256: is that of another session');
  });

  it('for text that PostgreSQL cannot store', async () => {
    expect(
      await refusal('{"record":"dealership","id":"' + UNKNOWN + '","name":"a\\u0000b"}\n'),
    ).toBe('line 1: dealership.name: must not contain the character NUL (\\u0000)');
    expect(await refusal('{"record":"dealership","id":"' + UNKNOWN + '","name":"\\ud800"}\n')).toBe(
      'line 1: dealership.name: must not contain a lone surrogate (half of a character)',
    );
  });

  it.each([false, true])(
    'for more than 200 requests of a buyer at one time (backfill: %s)',
    async (isBackfill) => {
      const latestActivityAt = '2026-02-01T00:00:00.1234Z';
      const requests = (count: number): object[] => [
        ...Array.from({ length: count - 100 }, () =>
          dealSet({ buyerId: ben.id, latestActivityAt }),
        ),
        ...Array.from({ length: 100 }, () =>
          priceCheck({
            buyerId: ben.id,
            dealershipId: fremont.id,
            latestActivityAt: '2026-02-01T00:00:00.123Z',
          }),
        ),
      ];
      expect(await refusal(requests(201), isBackfill)).toBe(
        'line 201: priceCheck.latestActivityAt: is shared by more than 200 requests of this buyer',
      );
      await load(database, requests(200), { isBackfill, isDryRun: true });
    },
  );

  it('for a time that 200 stored requests already share', async () => {
    const cleo = buyer();
    const latestActivityAt = '2026-02-02T00:00:00Z';
    const sets = Array.from({ length: 200 }, () => dealSet({ buyerId: cleo.id, latestActivityAt }));
    await load(database, [cleo, ...sets], { isBackfill: true });
    await load(database, sets.slice(0, 10), { isBackfill: true });
    expect(await refusal([dealSet({ buyerId: cleo.id, latestActivityAt })], true)).toBe(
      'line 1: dealSet.latestActivityAt: is shared by more than 200 requests of this buyer',
    );
  });

  it('lists the first twenty problems and counts the others', async () => {
    const wrong = Array.from({ length: 30 }, () => ({ ...buyer(), nick: 'x' }));
    const lines = (await refusal(wrong)).split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('line 1: buyer.nick: is not a key of this record');
    expect(lines[20]).toBe('and 10 more');
    const dangling = Array.from({ length: 30 }, () => reply({ priceCheckId: UNKNOWN }));
    expect((await refusal(dangling)).split('\n')[20]).toBe('and 10 more');
  });

  it('when its last line breaks off', async () => {
    const before = await everything(database);
    expect(await refusal(`${ndjson([buyer()])}{"record":"buy`)).toBe(
      'line 2: must be valid JSON, one JSON object on each line',
    );
    expect(await everything(database)).toEqual(before);
  });

  it('even when only a line that a later one replaces is wrong', async () => {
    const id = randomUUID();
    const wrong = priceCheck({ id, buyerId: anna.id, dealershipId: UNKNOWN });
    const sound = priceCheck({ id, buyerId: anna.id, dealershipId: fremont.id });
    expect(await refusal([wrong, sound])).toBe(
      'line 1: priceCheck.dealershipId: names no dealership of this file or of the database',
    );
  });
});

/** How many rows each table has, and the newest stamps. */
async function everything(database: TestDatabase): Promise<unknown> {
  return database.query(`SELECT
    (SELECT count(*) FROM buyer) AS buyers, (SELECT count(*) FROM dealership) AS dealerships,
    (SELECT count(*) FROM buyer_session) AS sessions, (SELECT count(*) FROM assistant_grant) AS grants,
    (SELECT count(*) FROM deal_set) AS sets, (SELECT count(*) FROM price_check) AS checks,
    (SELECT count(*) FROM question) AS questions, (SELECT count(*) FROM draft) AS drafts,
    (SELECT count(*) FROM reply) AS replies, (SELECT count(*) FROM request_feed) AS feed,
    (SELECT max(feed_at)::text FROM request_feed) AS newest`);
}
