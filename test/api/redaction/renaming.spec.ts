import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type { ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  insert,
  priceCheck,
  signIn,
  written,
} from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { TestService, type Credential } from '../../setup/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ env: { FEED_MARGIN_MS: '0' } });
});
afterAll(() => service.stop());

const LISTING = { year: 2026, make: 'Toyota', model: 'Camry' };

/**
 * A buyer with a deal set of a hidden and an unlocked row of one dealership, and a single request
 * to the same dealership.
 */
async function requestsOf(name: string, trim: string) {
  const anna = buyer();
  const { record, cookie } = signIn(anna.id);
  const shop = dealership({ name });
  const set = dealSet({ buyerId: anna.id });
  const ids = { buyerId: anna.id, dealershipId: shop.id };
  const hidden = priceCheck({
    ...ids,
    dealSetId: set.id,
    listing: { ...LISTING, trim },
    ...written(7),
  });
  const other = dealSet({ buyerId: anna.id });
  const unlocked = priceCheck({
    ...ids,
    dealSetId: other.id,
    listing: LISTING,
    unlockedAt: '2026-01-05T00:00:00Z',
    ...written(8),
  });
  const single = priceCheck({ ...ids, listing: LISTING, chosenAt: '2026-01-05T00:00:00Z' });
  const records = [anna, record, grant({ buyerId: anna.id }), shop];
  await insert(service.database, [...records, set, other, hidden, unlocked, single]);
  const assistant = await service.tokenFor(anna.id);
  const result = async (id: string, credential: Credential): Promise<DealSetResult> =>
    (await service.get<{ data: DealSetResult }>(`${LIST}/${id}`, credential)).body.data;
  let asOf = '1970-01-01T00:00:00Z';
  return {
    set,
    other,
    single,
    /** The trim and the label of the hidden row, for an assistant. */
    async hiddenRow(): Promise<readonly (string | null)[]> {
      const { ranked, hero } = await result(set.id, assistant);
      const row = ranked[0]!.rows[0]!;
      expect([ranked[0]!.trim, hero!.trim, hero!.label]).toEqual([
        row.quotedTrim,
        row.quotedTrim,
        row.label,
      ]);
      return [row.quotedTrim, row.label];
    },
    /** The names that the session reads: of the unlocked row and of the chosen single request. */
    async names(): Promise<readonly unknown[]> {
      const { ranked } = await result(other.id, { cookie });
      const list = await service.get<{ data: ListEntry[] }>(LIST, { cookie });
      const entry = list.body.data.find((candidate) => candidate.kind === 'single');
      return [ranked[0]!.rows[0]!.label, entry?.kind === 'single' && entry.dealerLabel];
    },
    /** The ids of the requests that the assistant's next poll returns. */
    async poll(): Promise<readonly string[]> {
      const { body, headers } = await service.get<{ data: ListEntry[] }>(
        `${LIST}?since=${asOf}`,
        assistant,
      );
      asOf = String(headers['service-as-of']);
      return body.data.map((entry) => (entry.kind === 'deal_set' ? entry.dealSetId : entry.id));
    },
    rename: (to: string) =>
      service.database.query('UPDATE deal_sets.dealership SET name = $1 WHERE id = $2', [
        to,
        shop.id,
      ]),
    setListPrice: (cents: number) =>
      service.database.query(
        'UPDATE deal_sets.price_check SET listing_listed_at_cents = $1 WHERE id = $2',
        [cents, hidden.id],
      ),
  };
}

describe('a renaming of a dealership', () => {
  it('shows nothing that the former name withheld, and moves no request', async () => {
    const world = await requestsOf('Brookside Toyota', 'Brookside Toyota XSE');
    expect(await world.poll()).toHaveLength(3);
    expect(await world.hiddenRow()).toEqual([null, '2026']);
    await world.rename('Brookside Toyota of Dayton');
    expect(await world.hiddenRow()).toEqual([null, '2026']);
    expect(await world.poll()).toEqual([]);
    expect(await world.names()).toEqual([
      'Brookside Toyota of Dayton',
      'Brookside Toyota of Dayton',
    ]);
    await world.setListPrice(3_450_000);
    expect(await world.hiddenRow()).toEqual([null, '2026, listed at $34,500']);
    expect(await world.poll()).toEqual([world.set.id]);
  });

  it('withholds a part that contains the new name, and moves exactly the request of that row', async () => {
    const world = await requestsOf('Dealer 4711', 'Brookside Toyota XSE');
    expect(await world.poll()).toHaveLength(3);
    expect(await world.hiddenRow()).toEqual([
      'Brookside Toyota XSE',
      '2026 Camry Brookside Toyota XSE',
    ]);
    await world.rename('Brookside Toyota');
    expect(await world.hiddenRow()).toEqual([null, '2026']);
    expect(await world.poll()).toEqual([world.set.id]);
    await world.rename('Dealer 4711');
    expect(await world.hiddenRow()).toEqual([null, '2026']);
    expect(await world.poll()).toEqual([]);
  });
});
