import { Client } from 'pg';
import { dealSet } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { LIST } from '../setup/http-call.js';
import { readersWithoutTimeLimit } from '../setup/readers-without-time-limit.js';
import { TestService, type Credential, type JsonResponse } from '../setup/test-service.js';
import { BEGINNING, ContractService, PRINCIPALS } from './contract-service.js';
import type { Reader } from '../setup/world.js';

const contract = ContractService.forFile();
let reader: Reader;
let paths: readonly string[];
beforeEach(async () => {
  reader = await contract.newReader();
  const set = dealSet({ buyerId: reader.id });
  await contract.insert(set);
  paths = [LIST, `${LIST}?since=${BEGINNING}`, `${LIST}/${set.id}`];
});

describe('8 the rate limit', () => {
  it('8 is 120 requests in 60 seconds, for both endpoints together and each principal apart; then rate_limited', async () => {
    for (const principal of PRINCIPALS) {
      const call = (n: number): Promise<JsonResponse> =>
        contract.service.get(paths[n % paths.length]!, reader[principal]);
      const statuses = new Set<number>();
      for (let n = 0; n < 120; n += 1) statuses.add((await call(n)).status);
      expect([...statuses]).toEqual([200]);
      for (let n = 0; n < paths.length; n += 1) {
        const { status, code, headers } = await call(n);
        expect([status, code]).toEqual([429, 'rate_limited']);
        expect(String(headers['retry-after'])).toMatch(/^([1-9]|[1-5]\d|60)$/);
      }
    }
  });
});

describe('8 the deadline', () => {
  const DEADLINE_MS = 8_000;
  let service: TestService;
  let locker: Client;
  beforeAll(async () => {
    const { database, issuer } = contract.service;
    service = await TestService.start({
      database,
      issuer,
      env: { DATABASE_URL: undefined, ...(await readersWithoutTimeLimit(database)) },
    });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    locker = new Client({ connectionString: contract.service.database.url });
    await locker.connect();
    await locker.query(
      'BEGIN; LOCK TABLE deal_sets.request_feed, deal_sets.deal_set IN ACCESS EXCLUSIVE MODE',
    );
  });
  afterEach(() => locker.end());

  /** The statements of the service that run or wait on the server. */
  const running = (): Promise<unknown[]> =>
    contract.service.database.query(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database()
       AND state = 'active' AND application_name LIKE 'deal-sets %'`,
    );

  it('8 is 8,000 ms: past it the read is cancelled, and nothing partial is sent', async () => {
    const startedAt = performance.now();
    const calls = PRINCIPALS.flatMap((principal) =>
      paths.map((path): [string, Credential] => [path, reader[principal]]),
    );
    // A read that did not end would succeed after that.
    const unlocking = setTimeout(() => void locker.query('ROLLBACK'), 3 * DEADLINE_MS);
    const responses = await Promise.all(calls.map(([path, caller]) => service.get(path, caller)));
    clearTimeout(unlocking);
    for (const { status, body } of responses)
      expect([status, body]).toEqual([
        503,
        { error: { code: 'unavailable', message: expect.any(String) as string } },
      ]);
    expect(performance.now() - startedAt).toBeGreaterThan(DEADLINE_MS - 100);
    await eventually(async () => expect(await running()).toEqual([]));
  });
});
