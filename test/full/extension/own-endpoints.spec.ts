import { ConflictException, ForbiddenException, HttpException } from '@nestjs/common';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential, type TestServiceOptions } from '../../setup/test-service.js';
import { AppGuard, FIRST, isLocked, LOCKED, Notes, notesHost } from './notes-module.js';

const world = smallWorld();
const NOTES = '/acme/notes';
const WITHOUT_WORDS = { ...FIRST, words: null };
const CONTRACT_HEADERS = {
  'cache-control': 'private, no-store',
  'service-api-version': '2026-10-13',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'service-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
};
const INVALID = { code: 'invalid_request', message: 'The request is not valid.' };
let database: TestDatabase;
let service: TestService;
let assistant: Credential;

beforeAll(async () => {
  database = await createTestDatabase();
  const grant = world.records.find((record) => record.record === 'grant');
  Object.assign(grant!, { scopes: ['offers:read', 'notes:read'] });
  await load(database, world.records);
  service = await TestService.start({
    database,
    hostOptions: notesHost,
    env: { ROLLOUT_NOTES: 'on' },
  });
  assistant = await service.tokenFor(world.buyer.id, {
    scope: 'offers:read notes:read notes:write',
  });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly error?: { readonly code: string; readonly message: string } };
}

/** Posts as the buyer, without the write limit unless headers are given. */
async function post(
  body: string | Buffer,
  headers: Record<string, string> = { 'x-acme-bulk': '1' },
  credential: Credential = world.session,
): Promise<Sent> {
  const allHeaders = { 'content-type': 'application/json', ...headers };
  const response = await service.send('POST', NOTES, credential, allHeaders, body);
  return { ...response, body: JSON.parse(response.text) as Sent['body'] };
}

/** Another service of the host application on the same database. */
async function withOther(
  options: TestServiceOptions,
  work: (other: TestService) => Promise<void>,
): Promise<void> {
  const other = await TestService.start({ database, hostOptions: notesHost, ...options });
  await work(other).finally(() => other.stop());
}

describe('a host application’s own endpoints', () => {
  it('return their own response class, with withheld fields null for an assistant', async () => {
    const own = await service.get(NOTES, world.session);
    expect(own.body).toEqual({ data: [FIRST] });
    const seen = await service.get(NOTES, assistant);
    expect(seen.body).toEqual({ data: [WITHOUT_WORDS] });
    expect(own.headers).not.toHaveProperty('x-ratelimit-limit');
  });

  it('receive the signal of the request, which is not aborted by the end of the request', () => {
    const { signals } = service.app.get(Notes, { strict: false });
    expect(signals.length).toBeGreaterThan(0);
    for (const signal of signals) expect(signal.aborted).toBe(false);
  });

  it('validate a query by its DTO, ignore unknown names, and repeat no input', async () => {
    const found = await service.get<{ data: unknown[] }>(`${NOTES}?topic=car&x=1`, world.session);
    expect(found.body.data).toEqual([]);
    for (const query of ['topic=boat', 'topic=', 'topic=car&topic=car']) {
      const rejection = await service.get<Sent['body']>(`${NOTES}?${query}`, world.session);
      expect([rejection.status, rejection.body.error]).toEqual([400, INVALID]);
    }
  });

  it('reject an id by ParseUUIDPipe, without its message', async () => {
    expect((await service.get(`${NOTES}/${FIRST.id}`, world.session)).status).toBe(200);
    const rejection = await service.get<Sent['body']>(`${NOTES}/no-id`, world.session);
    expect([rejection.status, rejection.body.error]).toEqual([400, INVALID]);
  });

  it('can have a guard of the host application, which runs after the service’s and may throw the errors they declare', async () => {
    const notes = service.app.get(Notes, { strict: false });
    const status = async (credential: Credential): Promise<unknown> => {
      const { status, code } = await service.get(`${NOTES}/guarded`, credential);
      return [status, code];
    };
    expect(await status(world.session)).toEqual([200, undefined]);
    notes.isClosed = true;
    const callsBefore = notes.signals.length;
    expect(await status(world.session)).toEqual([423, 'acme_locked']);
    expect(await status(undefined)).toEqual([401, 'unauthenticated']);
    expect(notes.signals.length).toBe(callsBefore + 1);
    notes.isClosed = false;
  });

  it('require their own scope and name it in the challenge', async () => {
    const rejection = await post('{}', { 'x-acme-bulk': '1' }, assistant);
    expect([rejection.status, rejection.body.error?.code]).toEqual([403, 'insufficient_scope']);
    expect(rejection.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="notes:write"',
    );
  });

  it('can be limited to one type of principal', async () => {
    const path = `${NOTES}/assistants-only`;
    expect((await service.get(path, assistant)).status).toBe(200);
    const rejection = await service.get<Sent['body']>(path, world.session);
    expect([rejection.status, rejection.body.error?.code]).toEqual([403, 'forbidden']);
    // No scope would help, so there is no challenge for one.
    expect(rejection.headers).not.toHaveProperty('www-authenticate');
  });

  const LOCKED_ERROR = { code: 'acme_locked', message: 'The account is locked.' };
  const FORBIDDEN = { code: 'forbidden', message: 'The caller may not use this operation.' };
  it.each<[string, Error, number, object]>([
    ['is sent with the listed code and its message', isLocked(), 423, LOCKED_ERROR],
    [
      'is sent with its code and message when they are not listed',
      new HttpException({ code: 'acme_full', message: 'The account is full.' }, 423),
      423,
      { code: 'acme_full', message: 'The account is full.' },
    ],
    [
      'gets the code of its status, without its message, when it has no code',
      new ConflictException('Redwood has it'),
      409,
      INVALID,
    ],
    [
      'gets the code of its status when it has a code and no message',
      new HttpException({ code: 'acme_locked' }, 403),
      403,
      FORBIDDEN,
    ],
    [
      'is sent as forbidden when it is Nest’s own 403',
      new ForbiddenException('Redwood'),
      403,
      FORBIDDEN,
    ],
  ])('throw an HttpException, which %s', async (_what, failure, status, error) => {
    service.app.get(Notes, { strict: false }).failure = failure;
    // Not checked against the API description, which has only the errors that the endpoint lists.
    const response = await service.send('GET', `${NOTES}/failing`, world.session);
    const body = JSON.parse(response.text) as Sent['body'];
    expect([response.status, body]).toEqual([status, { error }]);
    // A challenge would send an assistant to its user for an approval that it already has.
    expect(response.headers['www-authenticate']).toBeUndefined();
    expect(service.logLines.join('')).toContain(`"code":"${body.error!.code}"`);
    expect(service.logLines.join('')).not.toContain('Redwood');
  });

  it('log an HttpException with a status from 500 on as an error, with its causes', async () => {
    const cause = Object.assign(new Error('Redwood'), { code: 'ECONNRESET' });
    const body = { code: 'acme_down', message: 'The partner cannot be reached.' };
    service.app.get(Notes, { strict: false }).failure = new HttpException(body, 502, { cause });
    const response = await service.send('GET', `${NOTES}/failing`, world.session);
    expect([response.status, response.code]).toEqual([502, 'acme_down']);
    const id = String(response.headers['service-request-id']);
    await eventually(() => {
      const line = service.logLines.find((text) => text.includes(id)) ?? '{}';
      const causes = ['Error ECONNRESET'];
      expect(JSON.parse(line)).toMatchObject({ level: 'error', error: 'HttpException', causes });
    });
  });

  it('read a JSON body', async () => {
    const kept = await post(JSON.stringify({ topic: 'car', words: 'blue, not red', more: 1 }));
    expect([kept.status, kept.body]).toEqual([
      201,
      { data: { id: FIRST.id, topic: 'car', words: 'blue, not red' } },
    ]);
  });

  it.each([
    ['a body that is not JSON', '{', {}, 400],
    ['a body that is not an object', '[]', {}, 400],
    ['an empty body', '', {}, 400],
    ['a property of the wrong type', '{"topic":"car","words":5}', {}, 400],
    ['a body with a prototype', '{"__proto__":{},"topic":"car","words":"x"}', {}, 400],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415],
    ['a body of more than 64 KB', `{"topic":"car","words":"${'x'.repeat(66_000)}"}`, {}, 413],
    [
      'a body of more than 64 KB and of unknown length',
      `{"topic":"car","words":"${'x'.repeat(66_000)}"}`,
      { 'transfer-encoding': 'chunked' },
      413,
    ],
  ])('reject %s', async (_what, body, headers, status) => {
    const rejection = await post(body, { 'x-acme-bulk': '1', ...headers });
    expect([rejection.status, rejection.body.error]).toEqual([status, INVALID]);
  });

  it('count in their own rate class, whose limit can depend on the request', () =>
    withOther({ env: { ROLLOUT_NOTES: 'on', READ_RATE_LIMIT: '1' } }, async (limited) => {
      const send = async (headers: Record<string, string>): Promise<number> => {
        const allHeaders = { 'content-type': 'application/json', ...headers };
        return (await limited.send('POST', NOTES, world.session, allHeaders, '{}')).status;
      };
      expect([await send({}), await send({}), await send({})]).toEqual([400, 400, 429]);
      expect(await send({ 'x-acme-bulk': '1' })).toBe(400);
      expect((await limited.get(NOTES, world.session)).status).toBe(200);
      expect((await limited.get(LIST, world.session)).status).toBe(200);
      expect((await limited.get(LIST, world.session)).status).toBe(429);
    }));

  it('are counted with their class where @Throttle lowers the limit of a route', () => {
    const throttlers = notesHost.throttlers!.map((throttler) => ({ ...throttler, limit: 3 }));
    return withOther(
      { env: { ROLLOUT_NOTES: 'on' }, hostOptions: { ...notesHost, throttlers } },
      async (limited) => {
        const quotaOf = async (path: string): Promise<unknown[]> => {
          const { status, headers } = await limited.get(path, world.session);
          return [status, headers['ratelimit-policy'], headers['ratelimit']];
        };
        const [rare, all] = ['"notes";q=2;w=60', '"notes";q=3;w=60'];
        expect(await quotaOf(`${NOTES}/rare`)).toEqual([200, rare, '"notes";r=1;t=60']);
        expect(await quotaOf(NOTES)).toEqual([200, all, '"notes";r=1;t=60']);
        expect((await quotaOf(`${NOTES}/rare`)).slice(0, 2)).toEqual([429, rare]);
        expect(await quotaOf(NOTES)).toEqual([200, all, '"notes";r=0;t=60']);
        expect((await quotaOf(NOTES)).slice(0, 2)).toEqual([429, all]);
      },
    );
  });

  it('are off until their flag is set', () =>
    withOther({}, async (off) => {
      expect((await off.get(NOTES, world.session)).status).toBe(404);
    }));

  it('appear in the API description', async () => {
    const { text: json } = await service.call('/api/v1/openapi.json');
    const { paths, components } = JSON.parse(json) as {
      paths: Record<string, Record<string, { readonly responses: object }>>;
      components: { schemas: object };
    };
    const { get, post: keep } = paths[NOTES]!;
    const topic = {
      name: 'topic',
      in: 'query',
      required: false,
      schema: { enum: ['price', 'car'] },
    };
    expect(get).toMatchObject({
      operationId: 'listNotes',
      tags: ['Notes'],
      'x-required-scope': 'notes:read',
      'x-rate-class': { name: 'notes', requests: 1000 },
      parameters: [topic],
    });
    const schema = { $ref: '#/components/schemas/NewNote' };
    expect(keep).toMatchObject({
      'x-rate-class': { name: 'notes_write' },
      requestBody: { content: { 'application/json': { schema } } },
    });
    const statuses = '201 400 401 403 404 413 415 429 500 503'.split(' ');
    expect(Object.keys(keep!.responses)).toEqual(statuses);
    expect(get!.responses).not.toHaveProperty('423');
    const examples = { acme_locked: expect.anything() as unknown };
    expect(paths[`${NOTES}/failing`]?.['get']?.responses).toMatchObject({
      423: { description: LOCKED.description, content: { 'application/json': { examples } } },
    });
    expect(paths[`${NOTES}/{id}`]?.['get']).toMatchObject({
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    });
    expect(paths[`${NOTES}/assistants-only`]?.['get']).toMatchObject({
      security: [{ dealSetsBearer: ['notes:read'] }],
    });
    expect(components.schemas).toMatchObject({
      Note: { properties: { words: { type: ['string', 'null'] } } },
      NewNote: { required: ['topic', 'words'], properties: { words: { maxLength: 100_000 } } },
    });
  });
});

describe('every response of a host application’s handlers', () => {
  it.each([
    ['is sent without what an interceptor added undeclared', 'undeclared'],
    [
      'is redacted for the caller who signed in, also when the request names another',
      'becomes-session',
    ],
  ])('%s', async (_what, path) => {
    expect((await service.get(`${NOTES}/${path}`, assistant)).body).toEqual(WITHOUT_WORDS);
    expect((await service.get(`${NOTES}/${path}`, world.session)).body).toEqual(FIRST);
  });

  it('is not sent where it no longer matches the response class', async () => {
    const { status, code, text } = await service.get(`${NOTES}/serialized`, assistant);
    expect([status, code]).toEqual([500, 'internal']);
    expect(text).not.toContain(FIRST.words);
  });

  it.each([
    ['undeclared', 200],
    ['serialized', 500],
  ])('has the headers of the contract, also for HEAD: %s', async (path, status) => {
    const [response, head] = [
      await service.get(`${NOTES}/${path}`, assistant),
      await service.send('HEAD', `${NOTES}/${path}`, assistant),
    ];
    expect([response.status, head.status, head.text]).toEqual([status, status, '']);
    const headers = { ...CONTRACT_HEADERS, 'content-type': 'application/json; charset=utf-8' };
    expect(response.headers).toMatchObject(headers);
    const length = { 'content-length': String(response.text.length) };
    expect(head.headers).toMatchObject({ ...CONTRACT_HEADERS, ...length });
  });

  it('has the bytes and the type that a public handler returns', async () => {
    const page = await service.send('GET', `${NOTES}/page`, undefined);
    expect([page.status, page.text]).toEqual([200, '<p>Acme']);
    const type = { 'content-type': 'text/html; charset=utf-8' };
    expect(page.headers).toMatchObject({ ...CONTRACT_HEADERS, ...type });
  });
});

describe('isDealSetsEndpoint', () => {
  it('identifies the endpoints of the service and of a host application to a guard of the whole application', async () => {
    AppGuard.seen.length = 0;
    for (const path of [LIST, NOTES]) await service.get(path, assistant);
    await service.send('GET', `${NOTES}/page`, undefined);
    expect(AppGuard.seen).toEqual(['listDealSets true', 'listNotes true', 'page false']);
  });
});

it('stop the boot if their rate class has no throttler', async () => {
  const hostOptions = { ...notesHost, throttlers: [] };
  await expect(TestService.start({ database, hostOptions })).rejects.toThrow(
    'NotesController.listNotes: the rate class notes has no throttler: add it to the option throttlers',
  );
});
