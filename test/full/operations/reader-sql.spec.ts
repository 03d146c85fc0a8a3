import { Client } from 'pg';
import { readerStatements } from '../../../src/deal-sets/queries/deal-set-queries.js';
import { FEED_NEWEST } from '../../../src/deal-sets/queries/feed-newest.js';
import { REPLIES } from '../../../src/deal-sets/queries/replies-statement.js';
import { PRINCIPAL_TYPES, type PrincipalType } from '../../../src/kernel/principal.js';
import { READING_ROLES } from '../../../src/database/read-data-source.js';
import { worldBuyerId } from '../../world/generate-buyer.js';
import { seededUuid } from '../../world/seeded-random.js';
import { worldText } from '../../world/world-generator.js';
import { load } from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

describe('the plans, at the default random_page_cost', () => {
  const workload = { seed: 'plans', buyers: 20, sets: 12, rows: 25, singles: 25, ended: 20 };
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [...worldText(workload)].join(''), { isBackfill: true });
    // As many as in the United States, so that a plan that scans them all is visible.
    await database.query(
      `INSERT INTO deal_sets.dealership (id, name) SELECT gen_random_uuid(), 'Dealership ' || n FROM generate_series(1, 18000) n`,
    );
    client = new Client({ connectionString: database.url });
    await client.connect();
    // After an import the indexes differ in how full they are, which decides between two of equal
    // cost.
    await client.query('REINDEX TABLE deal_sets.reply');
    // The setting of the connections of the reading pools.
    await client.query('SET plan_cache_mode = force_generic_plan');
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const statementsOf = (type: PrincipalType) => ({
    ...readerStatements(type),
    feedNewest: FEED_NEWEST,
  });
  type Name = keyof ReturnType<typeof statementsOf> | 'replies';
  const types: Readonly<Record<Name, string>> = {
    active: 'uuid',
    changedSince: 'uuid, bigint, bigint',
    feedNewest: 'uuid, bigint',
    replies: 'uuid, bigint, bigint, text[], uuid[]',
    dealSet: 'uuid, uuid',
  };

  /** The year 9999. */
  const LATEST_MS = 253_370_764_800_000;

  async function planOf(name: Name, text: string): Promise<Plan[]> {
    const buyer = worldBuyerId(workload.seed, 0);
    const set = seededUuid(workload.seed, 'buyer 0 set 0');
    const values = {
      active: `'${buyer}'`,
      changedSince: `'${buyer}', 0, 100`,
      feedNewest: `'${buyer}', 0`,
      replies: `'${buyer}', 0, ${LATEST_MS}, '{deal_set}', '{${set}}'`,
      dealSet: `'${buyer}', '${set}'`,
    };
    await client.query(`PREPARE read (${types[name]}) AS ${text}`);
    try {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (FORMAT JSON) EXECUTE read (${values[name]})`,
      );
      return rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
    } finally {
      await client.query('DEALLOCATE read');
    }
  }

  const reads: readonly (readonly [PrincipalType, Name, text: string])[] = [
    ...PRINCIPAL_TYPES.flatMap((principalType) =>
      Object.entries(statementsOf(principalType)).map(
        ([name, { text }]) => [principalType, name as Name, text] as const,
      ),
    ),
    ['assistant', 'replies', REPLIES.text],
  ];

  it.each(reads)('read every table by an index: %s, %s', async (principalType, name, text) => {
    await client.query(`SET ROLE ${READING_ROLES[principalType]}`);
    const nodes = await planOf(name, text);
    const tables = nodes.filter((node) => node['Relation Name'] !== undefined);
    expect(tables.length).toBeGreaterThan(0);
    expect(tables.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  });

  it.each(PRINCIPAL_TYPES)(
    'read one range of an index for each kind in a list: %s',
    async (principalType) => {
      await client.query(`SET ROLE ${READING_ROLES[principalType]}`);
      const nodes = await planOf('active', readerStatements(principalType).active.text);
      const reads = nodes.filter((node) => node['Relation Name'] === 'request_feed');
      // Once for each kind, because of the enclosing nested loop.
      expect(reads.map((node) => [node['Node Type'], node['Index Name']])).toEqual([
        ['Index Scan', 'request_feed_active'],
      ]);
    },
  );

  it.each(['active', 'changedSince'] as const)(
    'search the deal set of each entry by its key, however many the buyer has: %s',
    async (name) => {
      await client.query(`SET ROLE ${READING_ROLES.session}`);
      const nodes = await planOf(name, readerStatements('session')[name].text);
      const searches = nodes.filter((node) => node['Index Name']?.startsWith('deal_set_'));
      expect(searches.length).toBeGreaterThan(0);
      for (const search of searches) {
        expect(search['Index Cond']).toMatch(/\bid = CASE/);
      }
    },
  );

  it('read a page of the feed from its index, in order', async () => {
    await client.query(`SET ROLE ${READING_ROLES.session}`);
    const nodes = await planOf('changedSince', readerStatements('session').changedSince.text);
    const feed = nodes.filter((node) => node['Relation Name'] === 'request_feed');
    expect(feed.map((node) => node['Index Name'])).toEqual([
      'request_feed_page',
      'request_feed_page',
    ]);
  });

  it('read the replies of a page by their stamps', async () => {
    await client.query(`SET ROLE ${READING_ROLES.assistant}`);
    const nodes = await planOf('replies', REPLIES.text);
    const replies = nodes.filter((node) => node['Relation Name'] === 'reply');
    expect(replies.map((node) => node['Index Name'])).toEqual(['reply_readable']);
  });
});
