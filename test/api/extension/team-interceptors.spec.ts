import {
  Controller,
  Get,
  Header,
  Injectable,
  Module,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import {
  Endpoint,
  isDealSetsEndpoint,
  Public,
  ResponseDto,
  Shown,
  Withheld,
} from '../../../src/index.js';
import { load, smallWorld } from '../../builders/index.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const SECRET = 'words of the buyer';
const CONTRACT_HEADERS = {
  'cache-control': 'private, no-store',
  'service-api-version': '2026-10-13',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'service-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
};
const JSON_TYPE = 'application/json; charset=utf-8';

@ResponseDto('A note.')
class Note {
  @Shown('What it is about.')
  readonly topic!: string;

  @Withheld('The note.', { type: 'text' })
  readonly words!: string | null;
}

const policy = {
  flag: 'notes',
  scope: 'offers:read',
  rateClass: 'read',
  response: Note,
  summary: 'Read',
} as const;
const note: Note = { topic: 'price', words: SECRET };

/** An interceptor of one function. */
function intercepting(
  work: (context: ExecutionContext, next: CallHandler) => Observable<unknown>,
): NestInterceptor {
  return { intercept: work };
}

/** Interceptors above `@Endpoint` run inside those of the service. */
@Controller('acme')
class AcmeController {
  @Get('undeclared')
  @UseInterceptors(
    intercepting((_c, next) =>
      next.handle().pipe(map((result) => ({ ...(result as object), more: SECRET }))),
    ),
  )
  @Endpoint(policy)
  undeclared(): Note {
    return note;
  }

  @Get('serialized')
  @UseInterceptors(
    intercepting((_c, next) => next.handle().pipe(map((result) => JSON.stringify(result)))),
  )
  @Endpoint(policy)
  serialized(): Note {
    return note;
  }

  @Get('becomes-session')
  @UseInterceptors(
    intercepting((context, next) => {
      const request = context.switchToHttp().getRequest<{ principal: object }>();
      request.principal = { ...request.principal, type: 'session' };
      return next.handle();
    }),
  )
  @Endpoint(policy)
  becomesSession(): Note {
    return note;
  }

  @Get('failing')
  @Endpoint(policy)
  failing(): Note {
    throw new Error(SECRET);
  }

  @Get('public')
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    return '<p>Acme';
  }
}

/** A guard of the whole application, in front of the service's. */
@Injectable()
class AppGuard implements CanActivate {
  static readonly seen: string[] = [];
  canActivate(context: ExecutionContext): boolean {
    AppGuard.seen.push(`${context.getHandler().name} ${isDealSetsEndpoint(context)}`);
    return true;
  }
}

@Module({
  controllers: [AcmeController],
  providers: [{ provide: APP_GUARD, useClass: AppGuard }],
})
class AcmeModule {}

const world = smallWorld();
let service: TestService;
let assistant: Credential;
beforeAll(async () => {
  const team = { imports: [AcmeModule] };
  service = await TestService.start({ team, env: { ROLLOUT_NOTES: 'on' } });
  await load(service.database, world.records);
  assistant = await service.tokenFor(world.anna.id);
});
afterAll(() => service.stop());

const codeOf = (body: string): unknown =>
  (JSON.parse(body) as { error?: { code: string } }).error?.code;

describe('a result that a team’s interceptor changes', () => {
  it('is sent without what is undeclared, and without what is withheld', async () => {
    const theirs = await service.get('/acme/undeclared', assistant);
    expect([theirs.status, theirs.text]).toEqual([200, '{"topic":"price","words":null}']);
    const own = await service.get('/acme/undeclared', world.session);
    expect(own.text).toBe(JSON.stringify(note));
  });

  it('is not sent where it no longer fits the shape', async () => {
    const { status, text: body } = await service.get('/acme/serialized', assistant);
    expect([status, codeOf(body)]).toEqual([500, 'internal']);
    expect(body).not.toContain(SECRET);
  });

  it('is redacted for the caller who signed in, also when the request names another', async () => {
    const { text: body } = await service.get('/acme/becomes-session', assistant);
    expect(body).toBe('{"topic":"price","words":null}');
  });
});

describe('every response of a team’s handlers', () => {
  it.each([
    ['undeclared', 200, undefined],
    ['failing', 500, 'internal'],
  ])('has the headers of the contract, and errors its envelope: %s', async (path, status, code) => {
    const response = await service.get(`/acme/${path}`, assistant);
    expect([response.status, codeOf(response.text)]).toEqual([status, code]);
    expect(response.text).not.toContain(SECRET);
    expect(response.headers).toMatchObject({ ...CONTRACT_HEADERS, 'content-type': JSON_TYPE });
    const head = await service.send('HEAD', `/acme/${path}`, assistant);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      status,
      '',
      String(response.text.length),
    ]);
    expect(head.headers).toMatchObject(CONTRACT_HEADERS);
  });

  it('has the bytes and the type that a public handler gives it', async () => {
    const page = await service.send('GET', '/acme/public', undefined);
    expect([page.status, page.text]).toEqual([200, '<p>Acme']);
    expect(page.headers).toMatchObject({
      ...CONTRACT_HEADERS,
      'content-type': 'text/html; charset=utf-8',
    });
  });
});

describe('isDealSetsEndpoint', () => {
  it('names the endpoints of the service and of a team to a guard of the whole application', async () => {
    AppGuard.seen.length = 0;
    await service.get('/api/v1/deal-sets', assistant);
    await service.get('/acme/failing', assistant);
    await service.send('GET', '/acme/public', undefined);
    expect(AppGuard.seen).toEqual(['listDealSets true', 'failing true', 'page false']);
  });
});
