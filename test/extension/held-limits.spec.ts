import {
  Catch,
  Controller,
  Get,
  Header,
  Injectable,
  Module,
  NotFoundException,
  UseFilters,
  UseInterceptors,
  type ArgumentsHost,
  type CallHandler,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, map, of, tap, type Observable } from 'rxjs';
import {
  Endpoint,
  Public,
  shape,
  shown,
  text,
  withheld,
  type DealSetsExtensions,
  type WireOf,
} from '../../src/index.js';
import { load, smallWorld } from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { eventually } from '../setup/eventually.js';
import { TestService, type Credential } from '../setup/test-service.js';

const SECRET = 'words of the buyer';
const HELD_HEADERS = {
  'cache-control': 'private, no-store',
  'service-api-version': '2026-10-13',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

const Note = shape('Note', 'A note.', {
  topic: shown(text, 'What it is about.'),
  words: withheld(text, 'The note.'),
});
type NoteDto = WireOf<typeof Note>;

const policy = {
  flag: 'notes',
  scope: 'offers:read',
  rateClass: 'read',
  response: Note,
  summary: 'Read',
} as const;
const note: NoteDto = { topic: 'price', words: SECRET };

const replyOf = (context: ExecutionContext): FastifyReply =>
  context.switchToHttp().getResponse<FastifyReply>();

/** An interceptor of one function. */
function intercepting(
  work: (context: ExecutionContext, next: CallHandler) => Observable<unknown>,
): NestInterceptor {
  return { intercept: work };
}

@Catch()
class OwnBytes implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    void host
      .switchToHttp()
      .getResponse<FastifyReply>()
      .status(404)
      .type('text/html')
      .send(`<p>${SECRET}`);
  }
}
@Catch()
class TurnsToSuccess implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().status(200).send({ words: SECRET });
  }
}
@Catch()
class WritesRaw implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<FastifyReply>().raw.end(SECRET);
  }
}
@Injectable()
@Catch()
class FrameworkPage extends BaseExceptionFilter {
  constructor({ httpAdapter }: HttpAdapterHost) {
    super(httpAdapter);
  }
}

@Controller('acme')
class AcmeController {
  @Get('undeclared')
  @Endpoint(policy)
  @UseInterceptors(
    intercepting((_c, next) =>
      next.handle().pipe(map((v) => ({ ...(v as object), more: SECRET }))),
    ),
  )
  undeclared(): NoteDto {
    return note;
  }

  @Get('serialized')
  @Endpoint(policy)
  @UseInterceptors(intercepting((_c, next) => next.handle().pipe(map((v) => JSON.stringify(v)))))
  serialized(): NoteDto {
    return note;
  }

  @Get('sends')
  @Endpoint(policy)
  @UseInterceptors(
    intercepting((c, next) => next.handle().pipe(tap((v) => void replyOf(c).send(v)))),
  )
  sends(): NoteDto {
    return note;
  }

  @Get('sends-raw')
  @Endpoint(policy)
  @UseInterceptors(intercepting((c) => of(replyOf(c).raw.end(SECRET))))
  sendsRaw(): NoteDto {
    return note;
  }

  @Get('becomes-session')
  @Endpoint(policy)
  @UseInterceptors(
    intercepting((c, next) => {
      const { raw } = c.switchToHttp().getRequest<FastifyRequest>();
      Object.assign(raw.context, { principal: { ...raw.context.principal, type: 'session' } });
      return next.handle();
    }),
  )
  becomesSession(): NoteDto {
    return note;
  }

  @Get('headers')
  @Endpoint(policy)
  @Header('Cache-Control', 'public')
  @Header('Service-API-Version', '1')
  @Header('service-request-id', 'mine')
  @Header('X-Content-Type-Options', 'sniff')
  @Header('Cross-Origin-Resource-Policy', 'cross-origin')
  @Header('Content-Type', 'text/html')
  headers(): NoteDto {
    return note;
  }

  @Get('own-bytes')
  @Endpoint(policy)
  @UseFilters(OwnBytes)
  ownBytes(): NoteDto {
    throw new NotFoundException();
  }

  @Get('turned')
  @Endpoint(policy)
  @UseFilters(TurnsToSuccess)
  turned(): NoteDto {
    throw new NotFoundException();
  }

  @Get('raw')
  @Endpoint(policy)
  @UseFilters(WritesRaw)
  raw(): NoteDto {
    throw new NotFoundException();
  }

  @Get('page')
  @Endpoint(policy)
  @UseFilters(FrameworkPage)
  page(): NoteDto {
    throw new NotFoundException(SECRET);
  }

  @Get('public')
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'public')
  page2(): string {
    return '<p>Acme';
  }

  @Get('public-bytes')
  @Public()
  @Header('Content-Type', 'image/gif')
  bytes(): Buffer {
    return Buffer.from('GIF89a');
  }
}

/** What a tracing package provides: it sees each call and its result, and may touch the response. */
const traced: string[] = [];
@Injectable()
class Tracing implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = replyOf(context);
    void reply.header('service-more', 'false').header('cache-control', 'public');
    reply.raw.setHeader('Cache-Control', 'public');
    return next.handle().pipe(
      tap((result) => traced.push(`${context.getHandler().name} ${typeof result}`)),
      catchError((error: Error) => {
        traced.push(`${context.getHandler().name} ${error.name}`);
        throw error;
      }),
    );
  }
}

@Module({
  controllers: [AcmeController],
  providers: [
    FrameworkPage,
    { provide: APP_INTERCEPTOR, useClass: Tracing },
    { provide: APP_FILTER, useClass: OwnBytes },
  ],
})
class AcmeModule {}

const extensions: DealSetsExtensions = { imports: [AcmeModule] };
const world = smallWorld();
let database: TestDatabase;
let service: TestService;
let assistant: Credential;

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  service = await TestService.start({ database, extensions, env: { ROLLOUT_NOTES: 'on' } });
  assistant = await service.tokenFor(world.anna.id);
  await eventually(async () => {
    expect((await service.send('GET', '/api/v1/deal-sets', assistant)).status).toBe(200);
  });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const codeOf = (body: string): unknown =>
  (JSON.parse(body) as { error?: { code: string } }).error?.code;

describe('a team’s interceptors', () => {
  it('see results as objects, and send nothing that is undeclared or withheld', async () => {
    const { status, text, headers } = await service.send('GET', '/acme/undeclared', assistant);
    expect([status, text]).toEqual([200, '{"topic":"price","words":null}']);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(traced).toContain('undeclared object');
    expect((await service.send('GET', '/acme/undeclared', world.session)).text).toBe(
      JSON.stringify(note),
    );
  });

  it.each(['serialized', 'sends', 'sends-raw', 'becomes-session'])(
    'cannot send past the serializer: %s',
    async (path) => {
      const { status, text, headers } = await service.send('GET', `/acme/${path}`, assistant);
      expect([status, codeOf(text)]).toEqual([500, 'internal']);
      expect(text).not.toContain(SECRET);
      expect(headers).toMatchObject(HELD_HEADERS);
    },
  );

  it('of the whole application change no contract header of the service’s endpoints', async () => {
    const { headers } = await service.get(
      '/api/v1/deal-sets?since=2999-01-01T00:00:00Z',
      assistant,
    );
    expect(headers).toMatchObject({ ...HELD_HEADERS, 'service-more': 'false' });
    const plain = await service.get('/api/v1/deal-sets', assistant);
    expect(plain.headers).toMatchObject(HELD_HEADERS);
    const missing = await service.get('/api/v1/deal-sets/none', assistant);
    expect([missing.status, codeOf(missing.text)]).toEqual([404, 'not_found']);
    expect(missing.headers).not.toHaveProperty('service-more');
    expect(traced).toContain('listDealSets object');
  });
});

describe('a team’s headers', () => {
  it('replace no header of the contract', async () => {
    const { status, headers, text } = await service.send('GET', '/acme/headers', world.session);
    expect([status, text]).toEqual([200, JSON.stringify(note)]);
    expect(headers).toMatchObject({
      ...HELD_HEADERS,
      'content-type': 'application/json; charset=utf-8',
    });
    expect(headers['service-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const head = await service.send('HEAD', '/acme/headers', world.session);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(text.length),
    ]);
    expect(head.headers).toMatchObject(HELD_HEADERS);
  });
});

describe('a team’s exception filters', () => {
  it.each([
    ['own-bytes', 404, 'not_found'],
    ['turned', 500, 'internal'],
    ['raw', 500, 'internal'],
    ['page', 404, 'not_found'],
  ])('cannot replace the envelope: %s', async (path, status, code) => {
    const response = await service.send('GET', `/acme/${path}`, assistant);
    expect([response.status, codeOf(response.text)]).toEqual([status, code]);
    expect(response.text).not.toContain(SECRET);
    expect(response.headers).toMatchObject({
      ...HELD_HEADERS,
      'content-type': 'application/json; charset=utf-8',
    });
  });

  it('of the whole application are not asked', async () => {
    const unknown = await service.send('GET', '/nowhere', undefined);
    expect([unknown.status, codeOf(unknown.text)]).toEqual([404, 'not_found']);
    const refused = await service.send('GET', '/acme/headers', undefined);
    expect([refused.status, codeOf(refused.text)]).toEqual([401, 'unauthenticated']);
    expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });
});

describe('a public handler of a team', () => {
  it('sends its own bytes and type, with the contract’s headers', async () => {
    const page = await service.send('GET', '/acme/public', undefined);
    expect([page.status, page.text]).toEqual([200, '<p>Acme']);
    expect(page.headers).toMatchObject({
      ...HELD_HEADERS,
      'content-type': 'text/html; charset=utf-8',
    });
    const bytes = await service.send('GET', '/acme/public-bytes', undefined);
    expect([bytes.text, bytes.headers['content-type']]).toEqual(['GIF89a', 'image/gif']);
  });
});
