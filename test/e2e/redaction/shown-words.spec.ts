import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  priceCheck,
  question,
  signIn,
  written,
} from '../../builders/index.js';
import type { DealSetResponse } from '../../../src/deal-sets/dto/responses.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const WORDS = 'This is Bob at Honda of Fremont, call +1 510 555 0100.';
const MASKED = 'This is Bob at •••, call •••.';

describe('a row whose question and draft carry its dealership’s name', () => {
  let database: TestDatabase;
  let service: TestService;
  const anna = buyer();
  const { record, cookie } = signIn(anna.id);
  const fremont = dealership({ name: 'Honda of Fremont' });
  const set = dealSet({
    buyerId: anna.id,
    car: { year: 2025, make: 'Honda', model: 'CR-V' },
  });
  const row = priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: fremont.id,
    listing: {},
  });

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [
      anna,
      record,
      grant({ buyerId: anna.id }),
      fremont,
      set,
      row,
      question({ priceCheckId: row.id, text: WORDS }),
      draft({ priceCheckId: row.id, body: WORDS }),
    ]);
    service = await TestService.start({ database });
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('is masked while hidden, and shown as it is once the buyer unlocks it', async () => {
    const read = async (): Promise<DealSetResponse['data']> => {
      const { body } = await service.get<DealSetResponse>(`/api/v1/deal-sets/${set.id}`, {
        cookie,
      });
      return body.data;
    };
    const items = ({ needsYou }: DealSetResponse['data']): unknown[] =>
      needsYou.map((item) =>
        item.kind === 'question' ? item.question : [item.preview, item.previewComplete],
      );
    const hidden = await read();
    expect(items(hidden)).toEqual(expect.arrayContaining([MASKED, [MASKED, false]]));
    expect(hidden.needsYou[0]?.label).toBe('2025 CR-V');
    await database.query('UPDATE price_check SET unlocked_at = now() WHERE id = $1', [row.id]);
    expect(items(await read())).toEqual(expect.arrayContaining([WORDS, [WORDS, true]]));
  });
});

/** Twin worlds are equal while no listing names its dealership; this pair differs by just what naming it takes away. */
describe('a listing that names its dealership', () => {
  let database: TestDatabase;
  let service: TestService;
  const anna = buyer();
  const shop = dealership({ name: 'Lakeside Motors' });
  const set = dealSet({ buyerId: anna.id, car: { year: 2025, make: 'Honda', model: 'CR-V' } });
  const named = priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: shop.id,
    listing: { year: 2025, make: 'Honda', model: 'CR-V', trim: 'Lakeside Motors EX' },
    ...written(7),
  });

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [anna, grant({ buyerId: anna.id }), shop, set, named]);
    service = await TestService.start({ database });
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('shows an assistant the same as under another name, but for the trim and what is made of it', async () => {
    const assistant = await service.tokenFor(anna.id);
    const paths = async (): Promise<Record<string, unknown>> => {
      const { body } = await service.get(`/api/v1/deal-sets/${set.id}`, assistant);
      return Object.fromEntries(leaves(body));
    };
    const before = await paths();
    await database.query(`UPDATE dealership SET name = 'Kestrel' WHERE id = $1`, [shop.id]);
    const after = await paths();
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const differing = keys.filter((key) => before[key] !== after[key]);
    expect(Object.fromEntries(differing.map((key) => [key, [before[key], after[key]]]))).toEqual({
      '.data.hero.label': ['2025 CR-V', '2025 CR-V Lakeside Motors EX'],
      '.data.hero.trim': [null, 'Lakeside Motors EX'],
      '.data.ranked.0.rows.0.label': ['2025 CR-V', '2025 CR-V Lakeside Motors EX'],
      '.data.ranked.0.rows.0.quotedTrim': [null, 'Lakeside Motors EX'],
      '.data.ranked.0.trim': [null, 'Lakeside Motors EX'],
    });
  });
});

function leaves(value: unknown, path = ''): [string, unknown][] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => leaves(part, `${path}.${key}`))
    : [[path, value]];
}
