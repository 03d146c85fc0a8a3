import {
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Post,
  ServiceUnavailableException,
  StreamableFile,
} from '@nestjs/common';
import {
  CurrentPrincipal,
  DealSetsModule,
  Endpoint,
  RequestObserver,
  RequireScope,
  ResponseDto,
  SessionStore,
  Shown,
  type ObservedRequest,
  type Principal,
} from '../../../src/index.js';
import { eventually } from '../../setup/eventually.js';
import { NestCacheModule } from '../../setup/caching-modules.js';
import { bearer, cookie } from '../../setup/http-call.js';
import { startModuleHost, type ModuleHost } from '../../setup/module-host.js';
import { moduleHostSuite } from './module-host-suite.js';

@RequireScope('offers:read')
@Controller('notes')
class NotesController {
  @Get()
  read(@CurrentPrincipal() { type, buyerId }: Principal): object {
    return { type, buyerId };
  }

  @Post()
  @RequireScope('notes:write')
  write(@CurrentPrincipal() { type }: Principal): object {
    return { writtenBy: type };
  }

  @Post('delete')
  @HttpCode(204)
  remove(): void {}

  @Get('notes.csv')
  @RequireScope('offers:read', { principals: ['session'] })
  download(@CurrentPrincipal() { buyerId }: Principal): StreamableFile {
    return new StreamableFile(Buffer.from(`buyer\n${buyerId}\n`), { type: 'text/csv' });
  }
}

/** A controller whose guard comes from its base class. */
@Controller('inherited')
class InheritingController extends NotesController {
  @Get('type')
  type(@CurrentPrincipal() { type }: Principal): object {
    return { type };
  }
}

@ResponseDto('The type of the caller.')
class Caller {
  @Shown('The type.') readonly type!: string;
}

/** A controller whose scope the endpoints under it declare, too. */
@RequireScope('notes:write')
@Controller('own')
class OwnEndpointsController {
  @Get('on')
  @Endpoint({ response: Caller, scope: 'notes:write' })
  on(@CurrentPrincipal() { type }: Principal): Caller {
    return { type };
  }

  @Get('off')
  @Endpoint({ response: Caller, scope: 'notes:write', flag: 'own_notes' })
  off(@CurrentPrincipal() { type }: Principal): Caller {
    return { type };
  }

  @Get('sessions')
  @Endpoint({ response: Caller, scope: 'x', flag: 'own_notes', principals: ['session'] })
  forSessions(@CurrentPrincipal() { type }: Principal): Caller {
    return { type };
  }
}

const suite = moduleHostSuite();
const { buyerId, session, assistant, settings } = suite;
const dealSets = (providers: Parameters<typeof DealSetsModule.forRoot>[0]['providers'] = []) =>
  DealSetsModule.forRoot({ settings: settings(), providers });
const controllers = [NotesController, InheritingController, OwnEndpointsController];

describe('@RequireScope', () => {
  let host: ModuleHost;
  beforeAll(async () => {
    host = await startModuleHost({ imports: [dealSets()], controllers });
  });
  afterAll(() => host.stop());

  it('on a controller signs in the callers of every handler', async () => {
    const own = await host.call('/notes', session);
    expect(JSON.parse(own.text)).toEqual({ type: 'session', buyerId });
    const seen = await host.call('/notes', await assistant());
    expect(JSON.parse(seen.text)).toEqual({ type: 'assistant', buyerId });
    expect(seen.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'service-request-id': expect.any(String) as unknown,
    });
    expect((await host.call('/notes/delete', { method: 'POST', ...session })).status).toBe(204);
    expect((await host.call('/inherited/type')).status).toBe(401);
  });

  it.each([
    ['no credential', {}],
    ['an unknown session', cookie('of-nobody-whatever-it-is')],
    ['a malformed token', bearer('none')],
  ])('rejects %s with 401 and the challenge', async (_what, options) => {
    const rejection = await host.call('/notes', options);
    expect([rejection.status, rejection.code]).toEqual([401, 'unauthenticated']);
    expect(rejection.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  it('on a handler replaces the scope of the controller, which sessions do not need', async () => {
    const rejection = await host.call('/notes', { method: 'POST', ...(await assistant()) });
    expect([rejection.status, rejection.code]).toEqual([403, 'insufficient_scope']);
    expect(rejection.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="notes:write"',
    );
    const written = await host.call('/notes', { method: 'POST', ...session });
    expect([written.status, written.text]).toEqual([201, '{"writtenBy":"session"}']);
  });

  it('rejects types of callers that it does not admit with 403, without a challenge', async () => {
    const rejection = await host.call('/notes/notes.csv', await assistant());
    expect([rejection.status, rejection.code]).toEqual([403, 'forbidden']);
    expect(rejection.headers).not.toHaveProperty('www-authenticate');
    expect(rejection.text).not.toContain(buyerId);
    const file = await host.call('/notes/notes.csv', session);
    expect([file.status, file.text]).toEqual([200, `buyer\n${buyerId}\n`]);
    expect(file.headers['content-type']).toMatch(/^text\/csv/);
  });
});

describe('@Endpoint under a controller with @RequireScope', () => {
  let host: ModuleHost;
  beforeAll(async () => {
    host = await startModuleHost({ imports: [dealSets()], controllers });
  });
  afterAll(() => host.stop());

  it.each([
    ['/own/off', 404, 'not_found'],
    ['/own/sessions', 404, 'not_found'],
    ['/own/on', 403, 'insufficient_scope'],
  ])('checks its flag before the scope: %s', async (path, status, code) => {
    const rejection = await host.call(path, await assistant());
    expect([rejection.status, rejection.code]).toEqual([status, code]);
    expect(rejection.headers['www-authenticate']).toBe(
      status === 403 ? 'Bearer error="insufficient_scope", scope="notes:write"' : undefined,
    );
  });

  it('checks the credential first, and is open to the session', async () => {
    expect((await host.call('/own/off')).status).toBe(401);
    expect((await host.call('/own/on', session)).text).toBe('{"type":"session"}');
  });
});

it('@RequireScope uses the session store of the host application', async () => {
  const sessions = { provide: SessionStore, useValue: { find: () => Promise.resolve(null) } };
  const host = await startModuleHost({ imports: [dealSets([sessions])], controllers });
  expect((await host.call('/notes', session)).status).toBe(401);
  await host.stop();
});

it('@RequireScope keeps @nestjs/cache-manager from sharing results between callers', async () => {
  const host = await startModuleHost({ imports: [dealSets(), NestCacheModule], controllers });
  try {
    for (const path of ['/notes', '/inherited/type']) {
      expect((await host.call(path, session)).text).toContain('session');
      expect((await host.call(path, await assistant())).text).toContain('assistant');
    }
    expect((await host.call('/notes/notes.csv', session)).text).toContain(buyerId);
    expect((await host.call('/notes/notes.csv', await assistant())).text).not.toContain(buyerId);
  } finally {
    await host.stop();
  }
});

describe('a failure under @RequireScope', () => {
  const SECRET = 'a-word-of-the-driver';

  @Controller('failing')
  @RequireScope('offers:read')
  class FailingController {
    @Get('unexpected')
    unexpected(): never {
      const cause = Object.assign(new RangeError(SECRET), { code: 'ECONNREFUSED' });
      throw new TypeError(SECRET, { cause });
    }

    @Get('outage')
    outage(): never {
      throw new ServiceUnavailableException(SECRET);
    }

    @Get('missing')
    missing(): never {
      throw new NotFoundException(SECRET);
    }
  }

  const ERROR = {
    name: 'TypeError',
    code: undefined,
    problem: undefined,
    at: expect.arrayContaining([expect.stringContaining('host-auth.spec')]) as string[],
    causes: ['RangeError ECONNREFUSED'],
  };

  it('is in the log and reaches the observer by its names, and leaves the response to the host', async () => {
    const seen = new Map<string | undefined, ObservedRequest>();
    const observe = (request: ObservedRequest): void => void seen.set(request.route, request);
    const lines: [level: string, line: Record<string, unknown>][] = [];
    const write = (level: string) => (line: Record<string, unknown>) =>
      void lines.push([level, line]);
    const logger = { log: write('log'), warn: write('warn'), error: write('error') };
    const host = await startModuleHost(
      {
        imports: [dealSets([{ provide: RequestObserver, useValue: { observe } }])],
        controllers: [FailingController],
      },
      (app) => app.useLogger(logger),
    );
    try {
      const { status, text } = await host.call('/failing/unexpected', session);
      expect([status, JSON.parse(text)]).toEqual([
        500,
        { statusCode: 500, message: 'Internal server error' },
      ]);
      expect((await host.call('/failing/outage', session)).status).toBe(503);
      expect((await host.call('/failing/missing', session)).status).toBe(404);
      await eventually(() => expect(seen.size).toBe(3));
    } finally {
      await host.stop();
    }
    expect(seen.get('/failing/unexpected')).toMatchObject({ status: 500, error: ERROR });
    expect(seen.get('/failing/outage')).toMatchObject({
      status: 503,
      error: { name: 'ServiceUnavailableException' },
    });
    expect(seen.get('/failing/missing')).toMatchObject({ status: 404, error: undefined });
    expect(JSON.stringify([...seen.values()])).not.toContain(SECRET);
    const lineOf = (route: string): unknown =>
      lines.find(([, line]) => line['msg'] === 'request' && line['route'] === route);
    const { at, causes } = ERROR;
    expect(lineOf('/failing/unexpected')).toEqual([
      'error',
      expect.objectContaining({ error: 'TypeError', at, causes }),
    ]);
    expect(lineOf('/failing/outage')).toEqual([
      'warn',
      expect.objectContaining({ error: 'ServiceUnavailableException' }),
    ]);
    expect(lineOf('/failing/missing')).toEqual([
      'log',
      expect.not.objectContaining({ error: expect.anything() as unknown }),
    ]);
  });
});
