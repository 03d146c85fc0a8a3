import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  load,
  priceCheck,
  reply,
  signIn,
  written,
} from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { runCommand, runInProcess } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const MILES = 100 / 3;
/** Defaults that shorten numbers, and write times and bytes in other forms. */
const DEFAULTS = {
  extra_float_digits: '-10',
  bytea_output: 'escape',
  DateStyle: 'German, DMY',
  standard_conforming_strings: 'off',
  TimeZone: 'Asia/Kathmandu',
};

const anna = buyer({ changesGranted: true });
const { record, cookie } = signIn(anna.id);
const shop = dealership();
const set = dealSet({ buyerId: anna.id, radiusMiles: MILES });
const row = priceCheck({
  buyerId: anna.id,
  dealSetId: set.id,
  dealershipId: shop.id,
  listing: { model: 'Gris Métallisé', trim: 'SE – Sport' },
  distanceMiles: MILES,
  unlockedAt: '2026-01-05T00:00:00Z',
  ...written(7),
});
const records = [
  ...[anna, record, grant({ buyerId: anna.id }), shop, set, row, reply({ priceCheckId: row.id })],
];

describe('the defaults of a database', () => {
  let databases: readonly TestDatabase[];
  beforeAll(async () => {
    databases = await Promise.all([0, 1].map(() => createTestDatabase()));
    for (const [name, value] of Object.entries(DEFAULTS)) {
      const [, other] = databases;
      await other!.query(`ALTER DATABASE ${other!.name} SET ${name} = '${value}'`);
    }
    for (const database of databases) {
      await load(database, records, { isBackfill: true });
      // A request without a time has that of its loading.
      await database.query(`UPDATE deal_sets.request_feed SET feed_at = '2026-03-01Z'`);
      await database.query(`UPDATE deal_sets.reply SET feed_at = '2026-03-01Z'`);
    }
  });
  afterAll(() => Promise.all(databases.map((database) => database.drop())));

  it('change no response', async () => {
    const responses = await Promise.all(
      databases.map(async (database) => {
        const service = await TestService.start({ database });
        try {
          const credentials = [{ cookie }, await service.tokenFor(anna.id)];
          const texts: string[] = [];
          for (const credential of credentials) {
            for (const path of [LIST, `${LIST}?since=1970-01-01T00:00:00Z`, `${LIST}/${set.id}`]) {
              const { status, text } = await service.get(path, credential);
              texts.push(`${status} ${text}`);
            }
          }
          const { body } = await service.get<{ data: DealSetResult }>(`${LIST}/${set.id}`, {
            cookie,
          });
          expect(body.data.search.radiusMiles).toBe(MILES);
          expect(body.data.ranked[0]!.rows[0]!.distanceMiles).toBe(MILES);
          return texts;
        } finally {
          await service.stop();
        }
      }),
    );
    expect(responses[1]).toEqual(responses[0]);
  });

  it('change neither an export nor what commands print', async () => {
    const outputs: unknown[][] = [];
    for (const { url } of databases) {
      const env = { env: { DATABASE_URL: url } };
      const exported = await runCommand(['export'], env);
      const approvals = await runInProcess(['approvals', '--buyer', anna.id, '--json'], env);
      const { exitCode } = await runInProcess(['rebuild'], env);
      outputs.push([exported.stdout, approvals.stdout, exitCode]);
    }
    expect(outputs[1]).toEqual(outputs[0]);
    expect(outputs[0]![0]).toContain(record.tokenSha256);
  });

  it('do not keep a writer from changing a listing, or the smallest change from moving its request', async () => {
    const [, database] = databases;
    const since = async (): Promise<string> =>
      (
        await database!.query<{ ms: string }>(
          'SELECT (extract(epoch FROM feed_at) * 1000)::bigint AS ms FROM deal_sets.request_feed WHERE request_id = $1',
          [set.id],
        )
      )[0]!.ms;
    await database!.client.query(
      Object.entries(DEFAULTS)
        .map(([name, value]) => `SET ${name} = '${value}'`)
        .join('; '),
    );
    for (const change of [
      `price_check SET listing_trim = 'SE – Sport Plus'`,
      `price_check SET distance_miles = distance_miles + 1e-12`,
      `deal_set SET radius_miles = radius_miles + 1e-12`,
    ]) {
      const before = await since();
      await database!.query(`UPDATE deal_sets.${change}`);
      expect([change, await since()]).not.toEqual([change, before]);
    }
    const [shown] = await database!.query('SELECT shown_trim FROM deal_sets.price_check');
    expect(shown).toEqual({ shown_trim: 'SE – Sport Plus' });
  });
});
