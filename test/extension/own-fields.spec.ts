import {
  count,
  listOf,
  objectOf,
  ownField,
  shape,
  shown,
  text,
  time,
  uuid,
  type DealSetsExtensions,
  type Deadline,
  type OwnField,
  type OwnFields,
  type Value,
} from '../../src/index.js';
import type { DealSetResponse, ListResponse } from '../../src/deal-sets/dto/responses.js';
import { priceCheck, smallWorld } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import type { Credential, TestService } from '../setup/test-service.js';
import { teamSuite } from './with-team.js';

const world = smallWorld();
const LIST = '/api/v1/deal-sets';
const single = priceCheck({ buyerId: world.anna.id, dealershipId: world.row.dealershipId });
const unscored = priceCheck({
  buyerId: world.anna.id,
  dealSetId: world.set.id,
  dealershipId: world.row.dealershipId,
});
const team = teamSuite({ anna: world.anna, records: [...world.records, single, unscored] });

beforeAll(async () => {
  const { database } = team;
  await database.query(
    `CREATE TABLE acme_score (price_check_id uuid PRIMARY KEY, score int, word text)`,
  );
  await database.query(`GRANT SELECT ON acme_score TO deal_sets_reader`);
  // Not the words.
  await database.query(`GRANT SELECT (price_check_id, score) ON acme_score TO deal_sets_assistant`);
  await database.query(`INSERT INTO acme_score VALUES ($1, 7, 'own words'), ($2, 3, 'few')`, [
    world.row.id,
    single.id,
  ]);
});

const withFields = (
  fields: OwnFields,
  work: (service: TestService, assistant: Credential) => Promise<void>,
  others: DealSetsExtensions = {},
): Promise<void> => team.withTeam({ fields, ...others }, work);

/** A field from the team's table, as the database lets each principal read it. */
const fromTable = <T>(
  column: string,
  field: Pick<OwnField<T>, 'value' | 'forAssistants'>,
): OwnField<T> =>
  ownField<T>({
    ...field,
    description: 'Of the team.',
    async load({ ids, query }) {
      const rows = await query<{ id: string; value: T }>(
        `SELECT price_check_id AS id, ${column} AS value FROM acme_score WHERE price_check_id = ANY($1)`,
        [ids],
      );
      return new Map(rows.map(({ id, value }) => [id, value]));
    },
  });

type WithOwn = Record<string, unknown>;
const rowsOf = ({ data }: DealSetResponse): WithOwn[] =>
  [...data.ranked.flatMap(({ rows }) => rows), ...data.everyoneElse.waiting] as never;

describe('fields of a team', () => {
  it('come with each row, null where there is no value, and are withheld from assistants', async () => {
    const loads: (readonly string[])[] = [];
    const counted = ownField({
      ...fromTable<number>('score', { value: count }),
      load: (request, limit) => {
        loads.push(request.ids);
        return fromTable<number>('score', { value: count }).load(request, limit);
      },
    });
    await withFields({ row: { acmeScore: counted } }, async (service, assistant) => {
      const own = await service.get<DealSetResponse>(world.getPath, world.session);
      expect(rowsOf(own.body).map(({ acmeScore }) => acmeScore)).toEqual([7, null]);
      expect(loads).toEqual([expect.arrayContaining([world.row.id, unscored.id])]);
      const theirs = await service.get<DealSetResponse>(world.getPath, assistant);
      expect(rowsOf(theirs.body).map(({ acmeScore }) => acmeScore)).toEqual([null, null]);
      // Not read for a principal that does not get it.
      expect(loads).toHaveLength(1);
    });
  });

  it('are shown to assistants where declared, read under the role of assistants', async () => {
    const fields: OwnFields = {
      row: { acmeScore: fromTable<number>('score', { value: count, forAssistants: 'shown' }) },
    };
    await withFields(fields, async (service, assistant) => {
      const theirs = await service.get<DealSetResponse>(world.getPath, assistant);
      expect(rowsOf(theirs.body).map(({ acmeScore }) => acmeScore)).toEqual([7, null]);
    });
    const forbidden: OwnFields = {
      row: { acmeWord: fromTable<string>('word', { value: text, forAssistants: 'shown' }) },
    };
    await withFields(forbidden, async (service, assistant) => {
      const own = await service.get<DealSetResponse>(world.getPath, world.session);
      expect(rowsOf(own.body)[0]).toMatchObject({ acmeWord: 'own words' });
      const theirs = await service.get(world.getPath, assistant);
      expect([theirs.status, theirs.text]).toEqual([503, expect.not.stringContaining('words')]);
      expect(service.logLines.join('')).toMatch(/"field":"row.acmeWord".*"errorCode":"42501"/);
    });
  });

  it.each([
    ['a word', uuid, 'a","label":"Toyota of Fremont'],
    ['a word in a list', listOf(time), ['"']],
    [
      'a word in an object',
      objectOf(shape('AcmeTag', 'A tag.', { at: shown(time, 'When.') })),
      { at: '\\' },
    ],
  ] as const)('send nothing where %s would have to be escaped', async (_what, declared, given) => {
    const value: Value = declared;
    const field = ownField({
      value,
      description: 'From a text.',
      forAssistants: 'shown',
      load: ({ ids }) => Promise.resolve(new Map(ids.map((id) => [id, given]))),
    });
    await withFields({ row: { acmeField: field } }, async (service, assistant) => {
      const theirs = await service.get(world.getPath, assistant);
      expect([theirs.status, theirs.text]).toEqual([500, expect.not.stringContaining('label')]);
    });
  });

  it('come with the entries of the list, each kind by its own ids', async () => {
    const sets = ownField({
      value: listOf(text),
      description: 'Tags.',
      load: ({ ids }) => Promise.resolve(new Map(ids.map((id) => [id, [`set ${id}`]]))),
    });
    const fields: OwnFields = {
      dealSetEntry: { acmeTags: sets },
      singleEntry: { acmeScore: fromTable<number>('score', { value: count }) },
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
    const fields: OwnFields = {
      row: {
        acmeScore: fromTable<number>('score', { value: count }),
        acmeRank: fromTable<number>('score', { value: count, forAssistants: 'shown' }),
      },
    };
    const noRanks = { hide: ['Row.acmeRank'], from: () => true } as const;
    await withFields(
      fields,
      async (service, assistant) => {
        const { text: json } = await service.call('/api/v1/openapi.json');
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
  const failing = (load: OwnField['load']): OwnFields => {
    const field = ownField({ value: count, description: 'Fails.', load: load as never });
    return { row: { acmeScore: field }, dealSetEntry: { acmeScore: field } };
  };

  it.each([
    ['throws', () => Promise.reject(new Error('Redwood is down')), 503],
    [
      'throws at once',
      () => {
        throw new Error('Redwood is down');
      },
      503,
    ],
    ['returns no map', () => Promise.resolve({ size: 1 }), 503],
    [
      'returns a value of another type',
      ({ ids }) => Promise.resolve(new Map(ids.map((id: string) => [id, 'Redwood']))),
      500,
    ],
  ] as [string, OwnField['load'], number][])(
    'fails the response when it %s',
    async (_what, load, status) => {
      await withFields(failing(load), async (service, assistant) => {
        for (const path of [LIST, world.getPath]) {
          const answer = await service.get<{ error: { code: string } }>(path, world.session);
          expect(answer.status).toBe(status);
          expect(answer.body.error.code).toBe(status === 503 ? 'unavailable' : 'internal');
          expect(answer.text).not.toMatch(/Redwood|CR-V/);
          // An assistant does not get it, so nothing fails.
          expect((await service.get(path, assistant)).status).toBe(200);
        }
        expect(service.logLines.join('')).not.toContain('Redwood');
      });
    },
  );

  it('is given up after its own limit, with its signal aborted and its statement cancelled', async () => {
    const limits: Deadline[] = [];
    const load: OwnField['load'] = async ({ query }, limit) => {
      limits.push(limit);
      await query('SELECT pg_sleep(60)');
      return new Map();
    };
    await withFields(failing(load), async (service) => {
      const startedAt = performance.now();
      expect((await service.get(world.getPath, world.session)).status).toBe(503);
      expect(performance.now() - startedAt).toBeLessThan(6000);
      expect(limits.map(({ signal }) => signal.aborted)).toEqual([true]);
      const SLEEPING = `SELECT FROM pg_stat_activity
        WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()`;
      // The cancel request goes out behind the response; the sleep alone would last a minute.
      await eventually(async () => expect(await team.database.query(SLEEPING)).toEqual([]));
    });
  });

  it('that writes values into its statements is refused before the server keeps them all', async () => {
    let calls = 0;
    const load: OwnField['load'] = async ({ query }) => {
      calls += 1;
      await query(`SELECT ${calls}`);
      return new Map();
    };
    await withFields(failing(load), async (service) => {
      let status = 200;
      while (status === 200 && calls < 200) {
        ({ status } = await service.get(world.getPath, world.session));
      }
      expect([status, calls]).toEqual([503, 101]);
    });
  });
});

describe('the boot', () => {
  const good = fromTable<number>('score', { value: count });
  it.each([
    [
      'a name of the contract',
      { row: { label: good } },
      'fields.row.label: Row has a field of this name',
    ],
    ['an unfit name', { row: { 'acme score': good } }, 'the name must match'],
    ['no value', { row: { acme: { ...good, value: undefined } } }, 'value must be one of'],
    ['no description', { row: { acme: { ...good, description: '' } } }, 'a description is missing'],
    ['no loader', { row: { acme: { ...good, load: undefined } } }, 'load must be a function'],
    [
      'an unknown place',
      { rows: { acme: good } },
      'fields.rows: expected one of row, dealSetEntry, singleEntry',
    ],
    [
      'an unknown form',
      { row: { acme: { ...good, forAssistants: 'yes' } } },
      'forAssistants must be',
    ],
  ])('stops on a field with %s', async (_what, fields, message) => {
    await expect(withFields(fields as OwnFields, () => Promise.resolve())).rejects.toThrow(message);
  });
});
