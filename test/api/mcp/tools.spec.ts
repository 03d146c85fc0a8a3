import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  insert,
  insertHistory,
  load,
  priceCheck,
  question,
  reply,
  written,
} from '../../builders/index.js';
import type { DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import { customField } from '../../../src/index.js';
import { DealSetsService } from '../../../src/deal-sets/deal-sets.service.js';
import { LIST } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import type { Credential } from '../../setup/test-service.js';

const EPOCH = '1970-01-01T00:00:00Z';
const NOBODY = '5f0c1a52-7c3e-4d0e-9a51-0c7a7f6a1b01';

const ADDRESS = 'https://assistant.example/client.json';
const LEGACY = { 'mcp-protocol-version': '2025-11-25' };

/** A buyer with a small set, a set of many rows and a single request. */
const anna = buyer({ changesGranted: true });
const dealer = dealership({ name: 'Redwood Motors', phone: '+1 513 555 0199' });
const ids = { buyerId: anna.id, dealershipId: dealer.id };
const small = dealSet({ buyerId: anna.id });
const large = dealSet({ buyerId: anna.id });
const row = priceCheck({
  ...ids,
  dealSetId: small.id,
  unlockedAt: '2026-01-05T00:00:00Z',
  ...written(3_000_000),
});
const rows = Array.from({ length: 150 }, (_, index) =>
  priceCheck({
    ...ids,
    dealSetId: large.id,
    listing: { year: 2025, model: 'CR-V', trim: `EX-${index % 3}`, mileage: 1_000 + index },
    distanceMiles: 12.375,
    ...(index % 2 === 0 && written(3_100_000 + index)),
  }),
);
const records = [
  ...[anna, dealer, small, large, ...rows, row],
  priceCheck({ ...ids, ...written(2_900_000) }),
  question({ priceCheckId: row.id, text: 'Is Redwood Motors near you?' }),
  draft({ priceCheckId: row.id }),
  grant({ buyerId: anna.id }),
  grant({ buyerId: anna.id, clientId: ADDRESS, hosted: true }),
];

let database: TestDatabase;
let mcp: McpService;
let assistant: Credential;

beforeAll(async () => {
  database = await createTestDatabase();
  await insert(database, records);
  mcp = await McpService.start({ database, env: { FEED_MARGIN_MS: '0' } });
  assistant = await mcp.tokenFor(anna.id);
});
afterAll(async () => {
  await mcp.stop();
  await database.drop();
});

/** A result of `list_price_requests`, with its size. */
interface ListPage {
  readonly asOf: string;
  readonly more: boolean;
  readonly data: readonly {
    readonly id?: string;
    readonly dealSetId?: string;
    readonly changes?: object;
  }[];
  readonly bytes: number;
}

/** A schema in which every object allows only the declared properties. */
function closed(schema: object): object {
  const text = JSON.stringify(schema, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && 'properties' in value
      ? { ...value, additionalProperties: false }
      : value,
  );
  return JSON.parse(text) as object;
}

const text = (result: { readonly content: readonly { readonly text: string }[] }): string =>
  result.content[0]!.text;

describe('the tools', () => {
  it('return the bytes of REST, and to a hosted assistant also an address in place of its id', async () => {
    const hosted = await mcp.tokenFor(anna.id, { client_id: ADDRESS });
    for (const credential of [assistant, hosted]) {
      const list = await mcp.service.get<ListResponse>(LIST, credential);
      expect(list.status).toBe(200);
      const listed = await mcp.tool('list_price_requests', {}, credential);
      expect(text(listed)).toBe(
        `{"asOf":null,"more":${String(list.headers['service-more'])},${list.text.slice(1)}`,
      );

      const poll = await mcp.service.get<ListResponse>(`${LIST}?since=${EPOCH}`, credential);
      const polled = await mcp.tool('list_price_requests', { since: EPOCH }, credential);
      expect(text(polled)).toMatch(/^\{"asOf":"[^"]+","more":false,"data":/);
      expect(text(polled).endsWith(`,${poll.text.slice(1)}`)).toBe(true);

      const set = await mcp.service.get<DealSetResponse>(`${LIST}/${small.id}`, credential);
      const read = await mcp.tool('get_deal_set', { dealSetId: small.id }, credential);
      expect(text(read)).toBe(set.text);
      for (const result of [listed, polled, read]) {
        expect(JSON.stringify(result.structuredContent)).toBe(text(result));
        expect(result.isError).toBeUndefined();
      }
    }
  });

  /** The pages of `list_price_requests` from `since` on, as an assistant follows them. */
  async function pagesSince(since: string, credential: Credential): Promise<ListPage[]> {
    const pages: ListPage[] = [];
    for (let next = since, more = true; more;) {
      const result = await mcp.tool('list_price_requests', { since: next }, credential);
      expect(text(result)).toMatch(/^\{"asOf":"[^"]+","more":(true|false),"data":/);
      const page = JSON.parse(text(result)) as Omit<ListPage, 'bytes'>;
      pages.push({ ...page, bytes: Buffer.byteLength(text(result)) });
      [next, more] = [page.asOf, page.more];
    }
    return pages;
  }
  /** A minute of the day on which the requests of a backfill changed. */
  const minute = (count: number): string => new Date(Date.UTC(2026, 1, 2, 0, count)).toISOString();

  it('list changes in pages of 50, which follow each other by asOf', async () => {
    const bea = buyer();
    const keys = { buyerId: bea.id, dealershipId: dealer.id };
    const singles = Array.from({ length: 60 }, (_, index) =>
      priceCheck({ ...keys, latestActivityAt: minute(index) }),
    );
    const ofBea = [bea, grant({ buyerId: bea.id }), ...singles];
    await insertHistory(database, ofBea);
    const pages = await pagesSince(EPOCH, await mcp.tokenFor(bea.id));
    expect(pages.map(({ data }) => data.length)).toEqual([50, 10]);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(
      singles.map(({ id }) => id),
    );
  });

  it('list changes in shorter pages where the result would be too large, and skip none', async () => {
    const bea = buyer();
    // The entries of the first 30 are small enough for pages of 25, those of the others are not.
    const sets = Array.from({ length: 60 }, (_, index) =>
      dealSet({ buyerId: bea.id, latestActivityAt: minute(index) }),
    );
    const rowsOf = ({ id: dealSetId }: { id: string }, isChosen: boolean) =>
      Array.from({ length: 25 }, () =>
        priceCheck({
          buyerId: bea.id,
          dealershipId: dealer.id,
          dealSetId,
          listing: {
            year: 2025,
            model: 'CR-V',
            trim: 'EX-L',
            exteriorColor: 'Urban Gray Pearl',
            mileage: 12_300,
            listedAtCents: 3_100_000,
          },
          chosenAt: isChosen ? '2026-01-05T00:00:00Z' : undefined,
        }),
      );
    const records = sets.flatMap((set, index) => [set, ...rowsOf(set, index >= 30)]);
    const ofBea = [bea, grant({ buyerId: bea.id }), ...records];
    await insertHistory(database, ofBea);
    const pages = await pagesSince(EPOCH, await mcp.tokenFor(bea.id));
    expect(pages.map(({ bytes }) => bytes).filter((bytes) => bytes > 60 * 1024)).toEqual([]);
    expect(pages.map(({ data }) => data.length)).toEqual([25, 12, 12, 11]);
    expect(pages.flatMap(({ data }) => data.map(({ dealSetId }) => dealSetId))).toEqual(
      sets.map(({ id }) => id),
    );
  });

  it('list entries of one time on one page, even where the result is too large', async () => {
    const bea = buyer();
    const setsAt = (latestActivityAt: string, count: number) =>
      Array.from({ length: count }, () => dealSet({ buyerId: bea.id, latestActivityAt }));
    const sets = [...setsAt(minute(0), 2), ...setsAt(minute(1), 150), ...setsAt(minute(2), 3)];
    await insertHistory(database, [bea, grant({ buyerId: bea.id }), ...sets]);
    const pages = await pagesSince(EPOCH, await mcp.tokenFor(bea.id));
    expect(pages.map(({ data }) => data.length)).toEqual([2, 150, 3]);
  });

  it('count once, however often they read to fit a result', async () => {
    const bea = buyer();
    const sets = Array.from({ length: 100 }, (_, index) =>
      dealSet({ buyerId: bea.id, latestActivityAt: minute(index) }),
    );
    const rowsOf = ({ id: dealSetId }: { id: string }) =>
      Array.from({ length: 25 }, () =>
        priceCheck({ buyerId: bea.id, dealershipId: dealer.id, dealSetId, ...written(3_100_000) }),
      );
    const records = [bea, grant({ buyerId: bea.id }), ...sets, ...sets.flatMap(rowsOf)];
    await load(database, records, { isBackfill: true });
    const limited = await McpService.start({ database, env: { READ_RATE_LIMIT: '2' } });
    try {
      const credential = await limited.tokenFor(bea.id);
      const results = [];
      for (let call = 0; call < 3; call += 1)
        results.push(await limited.tool('list_price_requests', { since: EPOCH }, credential));
      expect(results.map(({ isError = false }) => isError)).toEqual([false, false, true]);
      // It was read again: a page of 50 would not fit.
      expect((results[0]?.structuredContent?.['data'] as unknown[]).length).toBeLessThan(50);
    } finally {
      await limited.stop();
    }
  });

  it('count a reply to a request that changes again after 26 others in one page', async () => {
    const bea = buyer({ changesGranted: true });
    const keys = { buyerId: bea.id, dealershipId: dealer.id };
    const [replied, ...others] = Array.from({ length: 27 }, () => priceCheck(keys));
    await insert(database, [bea, grant({ buyerId: bea.id }), replied!, ...others]);
    const credential = await mcp.tokenFor(bea.id);
    const since = (await pagesSince(EPOCH, credential)).at(-1)!.asOf;
    await insert(database, [reply({ priceCheckId: replied!.id })]);
    await load(
      database,
      others.map((single) => ({ ...single, ...written(2_000_000) })),
    );
    await load(database, [{ ...replied!, ...written(2_100_000) }]);
    const [page, ...rest] = await pagesSince(since, credential);
    expect([page!.data.length, rest]).toEqual([27, []]);
    expect(page!.data.at(-1)).toMatchObject({
      id: replied!.id,
      changes: { newReplies: { status: 'new', count: 1 } },
    });
  });

  it('read a large deal set in parts that together contain the rows of REST', async () => {
    const { body } = await mcp.service.get<DealSetResponse>(`${LIST}/${large.id}`, assistant);
    const rowsOf = ({ data }: DealSetResponse): unknown[] => [
      ...data.ranked.flatMap(({ rows }) => rows),
      ...(Object.values(data.everyoneElse) as unknown[][]).flat(),
    ];
    const read: unknown[] = [];
    let input: Record<string, unknown> | undefined = {};
    let pages = 0;
    while (input) {
      const result = await mcp.tool('get_deal_set', { dealSetId: large.id, ...input }, assistant);
      expect(Buffer.byteLength(text(result))).toBeLessThanOrEqual(60 * 1024);
      const page = JSON.parse(text(result)) as DealSetResponse & { next?: Record<string, unknown> };
      read.push(...rowsOf(page));
      input = page.next;
      pages += 1;
    }
    expect(read).toEqual(rowsOf(body));
    expect(pages).toBeGreaterThan(1);
  });

  it.each([
    ['get_deal_set', { dealSetId: NOBODY }, `${LIST}/${NOBODY}`],
    ['get_deal_set', { dealSetId: 'no-id' }, `${LIST}/no-id`],
  ])('return REST’s error as a result: %s %j', async (name, input, target) => {
    const rest = await mcp.service.get(target, assistant);
    const result = await mcp.tool(name, input, assistant);
    expect([result.isError, text(result)]).toEqual([true, rest.text]);
    expect(result).not.toHaveProperty('structuredContent');
  });

  it('name the rule of `since` without the encoding of a query', async () => {
    const since = '2026-03-01 00:00:00+02:00';
    const result = await mcp.tool('list_price_requests', { since }, assistant);
    expect([result.isError, JSON.parse(text(result))]).toEqual([
      true,
      {
        error: {
          code: 'invalid_request',
          message:
            '`since` must be one ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z.',
        },
      },
    ]);
    const corrected = await mcp.tool(
      'list_price_requests',
      { since: since.replace(' ', 'T') },
      assistant,
    );
    expect(corrected.isError).toBeUndefined();
  });

  it('take null in place of params and of their members as absent', async () => {
    const call = async (name: string, input: unknown): Promise<string> =>
      (await mcp.request('tools/call', { name, arguments: input }, assistant)).text;
    expect(await call('list_price_requests', null)).toBe(await call('list_price_requests', {}));
    expect(await call('get_deal_set', null)).toBe(await call('get_deal_set', {}));
    const list = async (members: string): Promise<unknown> => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"${members}}`;
      const { status, message } = await mcp.post(body, LEGACY, assistant);
      return [status, message];
    };
    const plain = await list('');
    expect(plain).toMatchObject([200, { result: { tools: [{}, {}] } }]);
    expect(await list(',"params":null')).toEqual(plain);
    expect(await list(',"params":{"cursor":null}')).toEqual(plain);
    expect(await list(',"params":{"cursor":null,"_meta":null}')).toEqual(plain);
  });

  it.each(['', '{"dealSetId":"x"}', [], 7, true])(
    'reject arguments that are not an object, such as %j, with an error that a model can correct',
    async (input) => {
      for (const era of ['modern', 'legacy'] as const) {
        const params = { name: 'get_deal_set', arguments: input };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
        const { status, message } =
          era === 'modern'
            ? await mcp.request('tools/call', params, assistant)
            : await mcp.post(body, LEGACY, assistant);
        expect([status, message.result?.isError, text(message.result!)]).toEqual([
          200,
          true,
          'Input validation error: Invalid arguments for tool get_deal_set: expected an object with an entry for each argument',
        ]);
      }
    },
  );

  it.each([
    [
      { dealSetId: small.id, part: 'rows' },
      'part: Invalid option: expected one of "needs_you"|"ranked"|"everyone_else"',
    ],
    [{}, 'dealSetId: Invalid input: expected string, received undefined'],
    [{ dealSetId: 7 }, 'dealSetId: Invalid input: expected string, received number'],
    [{ dealSetId: small.id, from: -1 }, 'from: Too small: expected number to be >=0'],
    [{ dealSetId: small.id, from: '0' }, 'from: Invalid input: expected number, received string'],
    [{ dealSetId: small.id, limit: 3 }, 'Unrecognized key: "limit"'],
  ])('reject the input %j with a message that lets a model correct it', async (input, problem) => {
    const result = await mcp.tool('get_deal_set', input, assistant);
    expect([result.isError, text(result)]).toEqual([
      true,
      `Input validation error: Invalid arguments for tool get_deal_set: ${problem}`,
    ]);
  });

  it('have titles, hints and schemas without `anyOf`, which some clients do not accept', async () => {
    const { message } = await mcp.request('tools/list', {}, assistant);
    for (const tool of message.result?.tools ?? []) {
      expect(tool).toMatchObject({
        title: expect.any(String) as string,
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        outputSchema: { type: 'object' },
      });
      expect(JSON.stringify(tool)).not.toContain('anyOf');
      expect(JSON.stringify(tool.outputSchema)).toContain('"type":["string","null"]');
    }
  });

  it('declare in their output schemas exactly what their results hold', async () => {
    const acmeScore = customField({
      type: 'count',
      description: 'How Acme rates the price.',
      forAssistants: 'shown',
      load: ({ ids }) => Promise.resolve(new Map(ids.map((id) => [id, 7]))),
    });
    const hostOptions = { fields: { row: { acmeScore } } };
    const extended = await McpService.start({ database, hostOptions });
    try {
      const credential = await extended.tokenFor(anna.id);
      const { message } = await extended.request('tools/list', {}, credential);
      const ajv = new Ajv2020({ formats: { uuid: true, 'date-time': true } });
      const [list, get] = (message.result?.tools ?? []).map(({ outputSchema }) =>
        ajv.compile(closed(outputSchema)),
      );
      const call = async (name: string, input: object) =>
        (await extended.tool(name, { ...input }, credential)).structuredContent;
      const read = await call('get_deal_set', { dealSetId: small.id });
      expect(JSON.stringify(read)).toContain('"acmeScore":7');
      for (const [validate, result] of [
        [list, await call('list_price_requests', {})],
        [list, await call('list_price_requests', { since: EPOCH })],
        [get, read],
        [get, await call('get_deal_set', { dealSetId: large.id })],
      ] as const) {
        validate?.(result);
        expect(validate?.errors).toBeNull();
      }
    } finally {
      await extended.stop();
    }
  });

  it('are absent for a caller whose endpoint is off', async () => {
    const namesFrom = async (on: McpService, credential: Credential): Promise<unknown> =>
      (await on.request('tools/list', {}, credential)).message.result?.tools?.map(
        ({ name }) => name,
      );
    expect(await namesFrom(mcp, assistant)).toEqual(['list_price_requests', 'get_deal_set']);
    const other = await McpService.start({ database, env: { ROLLOUT_GET: 'off' } });
    try {
      const credential = await other.tokenFor(anna.id);
      expect(await namesFrom(other, credential)).toEqual(['list_price_requests']);
      const call = (name: string) =>
        other.request('tools/call', { name, arguments: { dealSetId: small.id } }, credential);
      const [off, unknown] = [await call('get_deal_set'), await call('get_anything')];
      expect(off.message.error).toEqual({ code: -32602, message: 'Tool get_deal_set not found' });
      expect(off.text.replace('get_deal_set', 'get_anything')).toBe(unknown.text);
    } finally {
      await other.stop();
    }
  });

  it('fail the leak scan if they show what is withheld', async () => {
    const planted = await McpService.start({ database });
    const dealSets = planted.service.app.get(DealSetsService, { strict: false });
    const read = dealSets.get.bind(dealSets);
    jest
      .spyOn(dealSets, 'get')
      .mockImplementation(({ buyerId }, id, deadline) =>
        read({ type: 'session', buyerId }, id, deadline),
      );
    const result = await planted.tool(
      'get_deal_set',
      { dealSetId: small.id },
      await planted.tokenFor(anna.id),
    );
    expect(text(result)).toContain('Redwood Motors');
    await expect(planted.stop()).rejects.toThrow('Redwood Motors');
  });
});
