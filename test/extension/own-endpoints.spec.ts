import { load, smallWorld } from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestService, type Credential } from '../setup/test-service.js';
import { FIRST, Notes, notesExtensions, NotesModule } from './notes-module.js';

const world = smallWorld();
const NOTES = '/acme/notes';
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
    extensions: notesExtensions,
    env: { ROLLOUT_NOTES: 'on' },
  });
  assistant = await service.tokenFor(world.anna.id, {
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

/** Posts as the buyer, past the write limit unless the headers are given. */
async function post(
  body: string | Buffer,
  headers: Record<string, string> = { 'x-acme-bulk': '1' },
  credential: Credential = world.session,
): Promise<Sent> {
  const given = { 'content-type': 'application/json', ...headers };
  const response = await service.send('POST', NOTES, credential, given, body);
  return { ...response, body: JSON.parse(response.text) as Sent['body'] };
}

describe('a team’s own endpoints', () => {
  it('answer by their own shape, with what is withheld null for an assistant', async () => {
    const own = await service.get(NOTES, world.session);
    expect(own.body).toEqual({ data: [{ id: FIRST, topic: 'price', words: 'too much' }] });
    const seen = await service.get(NOTES, assistant);
    expect(seen.body).toEqual({ data: [{ id: FIRST, topic: 'price', words: null }] });
    expect(own.headers).not.toHaveProperty('x-ratelimit-limit');
  });

  it('get the deadline of the request', () => {
    const { deadlines } = service.app.get(Notes, { strict: false });
    for (const remainingMs of deadlines) {
      expect(remainingMs).toBeGreaterThan(0);
      expect(remainingMs).toBeLessThanOrEqual(8000);
    }
    expect(deadlines.length).toBeGreaterThan(0);
  });

  it('validate a query by its DTO, ignore other names, and repeat no input', async () => {
    const found = await service.get<{ data: unknown[] }>(`${NOTES}?topic=car&x=1`, world.session);
    expect(found.body.data).toEqual([]);
    for (const query of ['topic=boat', 'topic=', 'topic=car&topic=car']) {
      const refused = await service.get<Sent['body']>(`${NOTES}?${query}`, world.session);
      expect([refused.status, refused.body.error]).toEqual([
        400,
        { code: 'invalid_request', message: 'The request is not valid.' },
      ]);
    }
  });

  it('answer not_found for an id that is none', async () => {
    expect((await service.get(`${NOTES}/${FIRST.toUpperCase()}`, world.session)).status).toBe(200);
    expect((await service.get(`${NOTES}/no-id`, world.session)).status).toBe(404);
  });

  it('demand their own scope and name it in the challenge', async () => {
    const refused = await post('{}', { 'x-acme-bulk': '1' }, assistant);
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'insufficient_scope']);
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="notes:write"',
    );
  });

  it('can be for one type of principal alone', async () => {
    const path = `${NOTES}/assistants-only`;
    expect((await service.get(path, assistant)).status).toBe(200);
    const refused = await service.get<Sent['body']>(path, world.session);
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'forbidden']);
    expect(refused.headers).not.toHaveProperty('www-authenticate');
  });

  it('answer Nest’s 403 as forbidden, without its words and without a challenge', async () => {
    const refused = await service.get<Sent['body']>(`${NOTES}/forbidden`, world.session);
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'forbidden']);
    expect(refused.text).not.toContain('Redwood');
    expect(refused.headers).not.toHaveProperty('www-authenticate');
  });

  it('read a JSON body', async () => {
    const kept = await post(JSON.stringify({ topic: 'car', words: 'blue, not red', more: 1 }));
    expect([kept.status, kept.body]).toEqual([
      201,
      { data: { id: FIRST, topic: 'car', words: 'blue, not red' } },
    ]);
  });

  it('answer a conflict with the code that they declare for it', async () => {
    const words = JSON.stringify({ topic: 'car', words: 'twice' });
    expect((await post(words)).status).toBe(201);
    const refused = await post(words);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      { code: 'note_exists', message: 'The buyer has this note already.' },
    ]);
  });

  it.each([
    ['no JSON', '{', {}, 400],
    ['no object', '[]', {}, 400],
    ['nothing', '', {}, 400],
    ['a wrong type', '{"topic":"car","words":5}', {}, 400],
    ['a missing field', '{"topic":"car"}', {}, 400],
    ['a prototype', '{"__proto__":{},"topic":"car","words":"x"}', {}, 400],
    ['a constructor', '{"topic":"car","words":"x","more":{"constructor":1}}', {}, 400],
    [
      '2,000 levels',
      `{"topic":"car","words":"x","more":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
      {},
      400,
    ],
    ['30,000 levels', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, {}, 400],
    ['invalid UTF-8', Buffer.from('{"topic":"car","words":"\xff"}', 'latin1'), {}, 400],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415],
    ['another charset', '{}', { 'content-type': 'application/json; charset=latin1' }, 415],
    ['a compressed body', '{}', { 'content-encoding': 'gzip' }, 415],
    ['more than 64 KB', `{"topic":"car","words":"${'x'.repeat(66_000)}"}`, {}, 413],
    [
      'more than 64 KB of unknown length',
      `{"topic":"car","words":"${'x'.repeat(66_000)}"}`,
      { 'transfer-encoding': 'chunked' },
      413,
    ],
  ])('refuse %s', async (_what, body, headers, status) => {
    const refused = await post(body, { 'x-acme-bulk': '1', ...headers });
    expect([refused.status, refused.body.error]).toEqual([
      status,
      { code: 'invalid_request', message: 'The request is not valid.' },
    ]);
  });

  it('read the body only after the guards', async () => {
    const refused = await post('no JSON at all', {}, { token: 'no-token-at-all' });
    expect([refused.status, refused.body.error?.code]).toEqual([401, 'unauthenticated']);
  });

  it('count in their own rate class, whose limit can depend on the request', async () => {
    const limited = await TestService.start({
      database,
      extensions: notesExtensions,
      env: { ROLLOUT_NOTES: 'on', READ_RATE_LIMIT: '1' },
    });
    try {
      const send = async (headers: Record<string, string>): Promise<number> =>
        (await limited.send('POST', NOTES, world.session, headers, '{}')).status;
      expect([await send({}), await send({}), await send({})]).toEqual([415, 415, 429]);
      expect(await send({ 'x-acme-bulk': '1' })).toBe(415);
      expect((await limited.get(NOTES, world.session)).status).toBe(200);
      expect((await limited.get('/api/v1/deal-sets', world.session)).status).toBe(200);
      expect((await limited.get('/api/v1/deal-sets', world.session)).status).toBe(429);
    } finally {
      await limited.stop();
    }
  });

  it('are off until their flag is set', async () => {
    const off = await TestService.start({ database, extensions: notesExtensions });
    try {
      expect((await off.get(NOTES, world.session)).status).toBe(404);
    } finally {
      await off.stop();
    }
  });

  it('appear in the API description', async () => {
    const { text: json } = await service.send('GET', '/api/v1/openapi.json', undefined);
    const document = JSON.parse(json) as {
      paths: Record<string, Record<string, Record<string, unknown>>>;
      components: { schemas: Record<string, unknown> };
    };
    const { get, post: keep } = document.paths[NOTES]!;
    expect(get).toMatchObject({
      operationId: 'listNotes',
      tags: ['Notes'],
      'x-required-scope': 'notes:read',
      'x-rate-class': { name: 'notes', requests: 1000 },
      parameters: [
        { name: 'topic', in: 'query', required: false, schema: { enum: ['price', 'car'] } },
      ],
    });
    expect(keep).toMatchObject({
      'x-rate-class': { name: 'notes_write', seconds: 60 },
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/NewNote' } } },
      },
    });
    expect(Object.keys(keep!['responses'] as object)).toEqual([
      '201',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    expect(document.paths[`${NOTES}/{id}`]?.['get']).toMatchObject({
      parameters: [{ name: 'id', in: 'path', required: true, schema: { format: 'uuid' } }],
    });
    expect(document.paths[`${NOTES}/assistants-only`]?.['get']).toMatchObject({
      security: [{ oauth: [] }],
    });
    expect(document.components.schemas).toMatchObject({
      Note: { properties: { words: { type: ['string', 'null'] } } },
      NewNote: { required: ['topic', 'words'], properties: { words: { maxLength: 100_000 } } },
    });
  });
});

describe('a start with a wrong declaration', () => {
  it.each([
    [
      'a ROLLOUT_ variable that no endpoint declares',
      { env: { ROLLOUT_NOTS: 'on' } },
      'ROLLOUT_NOTS',
    ],
    [
      'a rate class that nothing declares',
      { extensions: { imports: [NotesModule] } },
      'rate class notes',
    ],
  ])('stops on %s', async (_what, options, problem) => {
    await expect(
      TestService.start({ database, extensions: notesExtensions, ...options }),
    ).rejects.toThrow(problem);
  });
});
