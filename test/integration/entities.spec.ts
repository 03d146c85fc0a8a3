import type { DataSource } from 'typeorm';
import { writerDataSource } from '../../src/database/data-source.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly isPrimary: boolean;
}

/** Tables without an entity: the feed, bookkeeping, and what commands alone use. */
const WITHOUT_ENTITY = ['request_feed', 'schema_migration', 'schema_code', 'erased_buyer'];

/** Columns that triggers keep for themselves. */
const OF_TRIGGERS = ['price_check.name_md5', 'price_check.hidden_parts'];

describe('entities and migrations', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await writerDataSource({ url: database.url }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  function declared(): Column[] {
    return dataSource.entityMetadatas
      .flatMap((entity) =>
        entity.columns.map((column) => ({
          table: entity.tableName,
          column: column.databaseName,
          type:
            dataSource.driver
              .normalizeType(column)
              .replace(
                /^timestamp with/,
                `timestamp${(column.precision ?? undefined) === undefined ? '' : `(${column.precision})`} with`,
              ) + (column.isArray ? '[]' : ''),
          isNullable: column.isNullable,
          isPrimary: column.isPrimary,
        })),
      )
      .sort(byName);
  }

  async function migrated(): Promise<Column[]> {
    const rows = await database.query<Column & { table: string }>(
      `SELECT c.relname AS "table", a.attname AS "column",
         format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END,
           CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS type,
         NOT a.attnotnull AS "isNullable",
         EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary
             AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
           AS "isPrimary"
       FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       JOIN pg_type t ON t.oid = a.atttypid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1)
         AND c.relname || '.' || a.attname <> ALL ($2)`,
      [WITHOUT_ENTITY, OF_TRIGGERS],
    );
    return rows.sort(byName);
  }

  it('agree on every column: name, type, nullability and primary key', async () => {
    const columns = declared();
    expect(columns.length).toBeGreaterThan(70);
    expect(columns).toEqual(await migrated());
  });

  it("need nothing of TypeORM's own in the database", async () => {
    expect(
      await database.query("SELECT 1 AS found FROM pg_class WHERE relname = 'typeorm_metadata'"),
    ).toEqual([]);
  });

  it('store and load a request through its relations', async () => {
    const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const at = new Date('2026-05-01T10:00:00.123Z');
    const save = (name: string, row: object): Promise<unknown> =>
      dataSource.getRepository(name).insert(row);
    await save('Buyer', { id: id(1) });
    await save('Dealership', { id: id(2), name: 'Honda of Fremont' });
    await save('DealSet', {
      buyerId: id(1),
      id: id(3),
      carYear: 2026,
      carMake: 'Honda',
      carModel: 'Civic',
      createdAt: at,
    });
    await save('PriceCheck', {
      buyerId: id(1),
      id: id(4),
      dealSetId: id(3),
      dealershipId: id(2),
      listingTrim: 'EX by Honda of Fremont',
      listingListedAtCents: 9007199254740991,
      requestedAt: at,
      // Not the writer's to set:
      shownTrim: 'forged',
      requestId: id(9),
    });
    await save('Question', {
      buyerId: id(1),
      id: id(5),
      priceCheckId: id(4),
      category: 'trim',
      text: 'Which?',
      answerMode: 'text',
      askedAt: at,
    });
    const found = await dataSource.getRepository('DealSet').findOneOrFail({
      where: { id: id(3) },
      relations: { members: { dealership: true, questions: true } },
    });
    expect(found).toMatchObject({
      createdAt: at,
      members: [
        {
          requestId: id(3),
          shownTrim: null,
          listingListedAtCents: 9007199254740991,
          dealership: { name: 'Honda of Fremont' },
          questions: [{ requestId: id(3), text: 'Which?' }],
        },
      ],
    });
  });
});

function byName(a: Column, b: Column): number {
  return `${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1;
}
