import { buyer, dealership, dealSet, insert, priceCheck } from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import type { Identity } from './cleaning-reference.js';

/** What is shown of a listing. */
export interface Shown {
  year: number | null;
  make: string | null;
  model: string | null;
  trim: string | null;
  color: string | null;
  mileage: number | null;
  listed: string | null;
}

export type Listing = Parameters<typeof priceCheck>[0]['listing'];

export interface Request {
  readonly id: string;
  readonly setId: string;
  readonly buyerId: string;
  readonly dealershipIds: string[];
}

/** A dealership that no listing names. */
export const plain: Identity = { name: 'Zebra Quarry' };

/** A dealership with everything that a listing may carry of it. */
export const fremont: Identity = {
  name: 'Honda of Fremont',
  phone: '(510) 555-0100',
  email: 'sales@fremont-honda.example',
  website: 'https://www.fremonthonda.example/inventory?x=1',
};

/** Requests whose listings are cleaned, in a database of a test file's own. */
export interface CleaningWorld {
  readonly database: TestDatabase;
  shownOf(id: string): Promise<Shown>;
  /** A request with one price check of each dealership; the first has the listing. */
  requestOf(listing: Listing, ...identities: readonly Identity[]): Promise<Request>;
}

/** Makes the database before a file's tests, and drops it after them. */
export function cleaningWorld(): CleaningWorld {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  return {
    get database() {
      return database;
    },
    async shownOf(id) {
      const [row] = await database.query<Shown & Record<string, unknown>>(
        `SELECT shown_year AS year, shown_make AS make, shown_model AS model, shown_trim AS trim,
           shown_exterior_color AS color, shown_mileage AS mileage, shown_listed_at_cents AS listed
         FROM price_check WHERE id = $1`,
        [id],
      );
      if (!row) throw new Error('no such price check');
      return row;
    },
    async requestOf(listing, ...identities) {
      const anna = buyer();
      const set = dealSet({ buyerId: anna.id });
      const dealerships = identities.map((identity) => dealership({ ...identity }));
      const rows = dealerships.map((dealer, index) =>
        priceCheck({
          buyerId: anna.id,
          dealSetId: set.id,
          dealershipId: dealer.id,
          listing: index === 0 ? listing : {},
        }),
      );
      await insert(database, [anna, set, ...dealerships, ...rows]);
      return {
        id: rows[0]!.id,
        setId: set.id,
        buyerId: anna.id,
        dealershipIds: dealerships.map((dealer) => dealer.id),
      };
    },
  };
}
