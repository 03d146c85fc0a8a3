import { connect } from 'node:net';
import { customField, type CustomField, type CustomFields } from '../../../src/index.js';
import type { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import { priceCheck, smallWorld } from '../../builders/index.js';
import { beforeDeadline, eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { lintOpenApi } from '../../setup/lint-openapi.js';
import { readersWithoutTimeLimit } from '../../setup/readers-without-time-limit.js';
import { TestService, type Credential, type HostOptions } from '../../setup/test-service.js';
import { hostSuite } from '../../api/extension/with-host.js';

const world = smallWorld();
const single = priceCheck({ buyerId: world.buyer.id, dealershipId: world.row.dealershipId });
const unscored = priceCheck({
  buyerId: world.buyer.id,
  dealSetId: world.set.id,
  dealershipId: world.row.dealershipId,
});
const suite = hostSuite({ ...world, records: [...world.records, single, unscored] });

beforeAll(async () => {
  const { database } = suite;
  await database.query(
    `CREATE TABLE acme_score (price_check_id uuid PRIMARY KEY, score int, word text)`,
  );
  await database.query(`GRANT SELECT ON acme_score TO deal_sets_reader`);
  // Assistants may not read the column `words`.
  await database.query(`GRANT SELECT (price_check_id, score) ON acme_score TO deal_sets_assistant`);
  await database.query(`INSERT INTO acme_score VALUES ($1, 7, 'own words'), ($2, 3, 'few')`, [
    world.row.id,
    single.id,
  ]);
});

const withFields = (
  fields: CustomFields,
  work: (service: TestService, assistant: Credential) => Promise<void>,
  others: HostOptions = {},
): Promise<void> => suite.withHost({ fields, ...others }, work);

/** A field from the host application's table, as the database lets each principal read it. */
const fromTable = (
  column: string,
  field: Pick<CustomField, 'type' | 'forAssistants'>,
): CustomField => ({
  ...field,
  description: 'Of the host application.',
  async load({ ids, query }) {
    const rows = await query<{ id: string; value: unknown }>(
      `SELECT price_check_id AS id, ${column} AS value FROM acme_score WHERE price_check_id = ANY($1)`,
      [ids],
    );
    return new Map(rows.map(({ id, value }) => [id, value]));
  },
});

type WithOwn = Record<string, unknown>;
const rowsOf = ({ data }: DealSetResponse): WithOwn[] =>
  [...data.ranked.flatMap(({ rows }) => rows), ...data.everyoneElse.waiting] as never;

describe('fields of a host application', () => {
  it('are read by statements that the server does not prepare', async () => {
    let kept: unknown;
    const field: CustomField = {
      type: 'count',
      description: 'Looks.',
      async load({ query }) {
        // A named statement would list itself.
        kept = await query(
          `SELECT name FROM pg_prepared_statements WHERE statement LIKE '%of_acme_alone%'`,
        );
        return new Map();
      },
    };
    await withFields({ row: { acmeKept: field } }, async (service) => {
      await service.get(world.getPath, world.session);
      expect(kept).toEqual([]);
    });
  });

  it('are in each row, null where there is no value, and withheld from assistants unless declared', async () => {
    const loads: (readonly string[])[] = [];
    const score = fromTable('score', { type: 'count' });
    const counted: CustomField = {
      ...score,
      load: (request, signal) => {
        loads.push(request.ids);
        return score.load(request, signal);
      },
    };
    const shown = { forAssistants: 'shown' } as const;
    const fields: CustomFields = {
      row: {
        acmeScore: counted,
        acmeRank: fromTable('score', { type: 'count', ...shown }),
        acmeWord: fromTable('word', { type: 'text', ...shown }),
      },
    };
    await withFields(fields, async (service, assistant) => {
      const none = { acmeScore: null, acmeRank: null, acmeWord: null };
      const own = await service.get<DealSetResponse>(world.getPath, world.session);
      expect(rowsOf(own.body)).toMatchObject([
        { acmeScore: 7, acmeRank: 7, acmeWord: 'own words' },
        none,
      ]);
      expect(loads).toEqual([expect.arrayContaining([world.row.id, unscored.id])]);
      // Read under the role of assistants, which may not read the words. A field that an assistant
      // does not receive is not read at all.
      const theirs = await service.get<DealSetResponse>(world.getPath, assistant);
      expect(rowsOf(theirs.body)).toMatchObject([{ ...none, acmeRank: 7 }, none]);
      expect(loads).toHaveLength(1);
      expect(service.logLines.join('')).toMatch(/"field":"row.acmeWord".*"errorCode":"42501"/);
    });
  });

  it('are in the entries of the list, each kind by its own ids', async () => {
    const sets = customField({
      type: 'text',
      isList: true,
      description: 'Tags.',
      load: ({ ids }) => Promise.resolve(new Map(ids.map((id) => [id, [`set ${id}`]]))),
    });
    const fields: CustomFields = {
      dealSetEntry: { acmeTags: sets },
      singleEntry: { acmeScore: fromTable('score', { type: 'count' }) },
    };
    await withFields(fields, async (service, assistant) => {
      for (const path of [LIST, `${LIST}?since=1970-01-01T00:00:00Z`]) {
        const { body } = await service.get<ListResponse>(path, world.session);
        const entries = Object.fromEntries(body.data.map((entry) => [entry.kind, entry]));
        expect(entries['deal_set']).toMatchObject({ acmeTags: [`set ${world.set.id}`] });
        expect(entries['single']).toMatchObject({ acmeScore: 3 });
        const theirs = await service.get<ListResponse>(path, assistant);
        expect(theirs.text).toContain('"acmeTags":null');
        expect(theirs.text).not.toContain('"set ');
      }
    });
  });

  it('are described for each principal, and can be hidden by a rule', async () => {
    const fields: CustomFields = {
      row: {
        acmeScore: fromTable('score', { type: 'count' }),
        acmeRank: fromTable('score', { type: 'count', forAssistants: 'shown' }),
      },
    };
    const noRanks = { fields: ['Row.acmeRank'], from: () => true } as const;
    await withFields(
      fields,
      async (service, assistant) => {
        const { text: json } = await service.call('/api/v1/openapi.json');
        await lintOpenApi(json);
        const { Row: row } = (
          JSON.parse(json) as { components: { schemas: Record<string, object> } }
        ).components.schemas;
        expect(row).toMatchObject({
          properties: {
            acmeScore: { type: ['integer', 'null'], 'x-assistant': 'null' },
            acmeRank: { type: ['integer', 'null'], 'x-assistant': 'same' },
          },
          required: expect.arrayContaining(['acmeScore', 'acmeRank']) as unknown,
        });
        const theirs = await service.get<DealSetResponse>(world.getPath, assistant);
        expect(rowsOf(theirs.body)[0]).toMatchObject({ acmeScore: null, acmeRank: null });
      },
      { redactionRules: [noRanks] },
    );
  });
});

describe('a field that cannot be loaded', () => {
  let load: CustomField['load'];
  let service: TestService;
  let assistant: Credential;
  let linesBefore: number;

  beforeAll(async () => {
    const failing: CustomField = {
      type: 'count',
      description: 'Fails.',
      load: (request, signal) => load(request, signal),
    };
    const fields: CustomFields = {
      row: { acmeScore: failing },
      dealSetEntry: { acmeScore: failing },
      singleEntry: { acmeRank: fromTable('score', { type: 'count' }) },
    };
    service = await TestService.start({ database: suite.database, hostOptions: { fields } });
    assistant = await service.tokenFor(world.buyer.id);
  });
  beforeEach(() => {
    linesBefore = service.logLines.length;
  });
  afterAll(async () => {
    expect(service.logLines.join('')).not.toContain('Redwood');
    await service.stop();
  });

  const logged = (): unknown[] =>
    service.logLines
      .slice(linesBefore)
      .filter((line) => line.includes('custom field could not be loaded'))
      .map((line): unknown => JSON.parse(line));

  it.each<[string, () => Promise<unknown>]>([
    ['throws', () => Promise.reject(new Error('Redwood is down'))],
    ['returns no map', () => Promise.resolve({ size: 1 })],
  ])('is null in this response, and logged, when it %s', async (_what, failure) => {
    load = failure as CustomField['load'];
    const row = await service.get<DealSetResponse>(world.getPath, world.session);
    expect(rowsOf(row.body)[0]).toMatchObject({ rowKey: world.row.id, acmeScore: null });
    const { body } = await service.get<ListResponse>(LIST, world.session);
    const entries = Object.fromEntries(body.data.map((entry) => [entry.kind, entry]));
    expect(entries['deal_set']).toMatchObject({ acmeScore: null });
    // Another field of the same response.
    expect(entries['single']).toMatchObject({ acmeRank: 3 });
    // An assistant does not get it, so it is not loaded, and nothing fails.
    expect((await service.get(LIST, assistant)).status).toBe(200);
    expect(logged()).toMatchObject([
      { level: 'warn', field: 'row.acmeScore' },
      { level: 'warn', field: 'dealSetEntry.acmeScore' },
    ]);
  });

  it('makes the response fail when it returns a value of another type', async () => {
    load = ({ ids }) => Promise.resolve(new Map(ids.map((id) => [id, 'Redwood'])));
    for (const [path, responseField] of [
      [LIST, 'DealSetEntry.acmeScore'],
      [world.getPath, 'Row.acmeScore'],
    ] as const) {
      const response = await service.get(path, world.session);
      expect([response.status, response.code]).toEqual([500, 'internal']);
      expect(response.text).not.toMatch(/Redwood|CR-V/);
      await eventually(() =>
        expect(
          service.logLines.slice(linesBefore).map((line): unknown => JSON.parse(line)),
        ).toContainEqual(expect.objectContaining({ code: 'internal', responseField })),
      );
      expect((await service.get(path, assistant)).status).toBe(200);
    }
  });

  it('is null after its own limit, with its signal aborted and its statement cancelled', async () => {
    const signals: AbortSignal[] = [];
    const late: CustomField = {
      type: 'count',
      description: 'Is late.',
      load: async ({ query }, signal) => {
        signals.push(signal);
        await query('SELECT pg_sleep(600)');
        return new Map();
      },
    };
    const work = async (impatient: TestService): Promise<void> => {
      const { body } = await impatient.get<DealSetResponse>(world.getPath, world.session);
      expect(rowsOf(body)[0]).toMatchObject({ acmeScore: null });
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      const SLEEPING = `SELECT FROM pg_stat_activity
        WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()`;
      // The cancel request is sent after the response, and nothing else ends the statement in time.
      await eventually(async () => expect(await suite.database.query(SLEEPING)).toEqual([]));
    };
    const hostOptions = { fields: { row: { acmeScore: late } } };
    const env = { DATABASE_URL: undefined, ...(await readersWithoutTimeLimit(suite.database)) };
    await suite.withHost(hostOptions, work, { env, limits: { customFieldMs: 1_000 } });
  });

  it('ends with the request: when a client disconnects, its signal is aborted and nothing is logged', async () => {
    const signals: AbortSignal[] = [];
    load = (_request, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    await beforeDeadline(async () => {
      signals.length = 0;
      const client = connect(service.port, '127.0.0.1');
      client.write(
        `GET ${world.getPath} HTTP/1.1\r\nHost: x\r\nCookie: __Host-session=${world.session.cookie}\r\n\r\n`,
      );
      await eventually(() => expect(signals).toHaveLength(1));
      client.resetAndDestroy();
      await eventually(() => expect(signals[0]?.aborted).toBe(true));
    });
    expect(logged()).toEqual([]);
  });
});

describe('the boot', () => {
  const good = fromTable('score', { type: 'count' });
  it.each([
    ['a name of the contract', { row: { label: good } }, 'Row already has a field of this name'],
    ['an unfit name', { row: { 'acme score': good } }, 'the name must match'],
  ])('fails on a field with %s', async (_what, fields, message) => {
    await expect(withFields(fields as CustomFields, () => Promise.resolve())).rejects.toThrow(
      message,
    );
  });
});
