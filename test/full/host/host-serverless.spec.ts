import type { IncomingMessage, Server } from 'node:http';
import { load, smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const world = smallWorld();

/**
 * Leaves a request only the joined headers, as the adapters for serverless platforms create it
 * (serverless-http, for example).
 */
function withoutLines(request: IncomingMessage): void {
  // Node joins the headers when they are first read.
  Object.assign(request, { headers: request.headers, rawHeaders: [] });
}

describe('a host application behind an adapter that has no header lines', () => {
  let database: TestDatabase;
  let service: TestService;
  let assistant: Credential;
  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, world.records);
    service = await TestService.start({ database });
    (service.app.getHttpServer() as Server).prependListener('request', withoutLines);
    assistant = await service.tokenFor(world.buyer.id);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('accepts the cookie and the token of a caller', async () => {
    expect((await service.get(LIST, world.session)).status).toBe(200);
    expect((await service.get(LIST, assistant)).status).toBe(200);
  });

  it('rejects a request without a credential, and one with two', async () => {
    const { token } = assistant as { token: string };
    const { cookie } = world.session;
    const both = { authorization: `Bearer ${token}, Bearer ${token}` };
    expect((await service.get(LIST, undefined)).status).toBe(401);
    expect((await service.get(LIST, undefined, { headers: both })).status).toBe(401);
    const cookies = { cookie: `__Host-session=${cookie}; __Host-session=other` };
    expect((await service.get(LIST, undefined, { headers: cookies })).status).toBe(401);
  });
});
