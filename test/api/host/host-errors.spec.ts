import {
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  Post,
  Put,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import type { Observable } from 'rxjs';
import { Endpoint, ResponseDto, Shown } from '../../../src/index.js';
import { insert, smallWorld } from '../../builders/index.js';
import { hostedPath } from '../../setup/host-application.js';
import { LIST } from '../../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const world = smallWorld();
const PATH = '/acme/errors';
const STATUS_HEADER = 'x-acme-status';
const LOCKED_MESSAGE = 'The account is locked.';

/**
 * Where an exception is thrown: by a global interceptor or a global guard of the host application.
 */
const SOURCES = ['interceptor', 'guard'] as const;
type Source = (typeof SOURCES)[number];

/** Throws the exception that a header of the request names for this source, on every route. */
function throwRequested(source: Source, context: ExecutionContext): void {
  const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
  const [thrower, status, code] = headers[STATUS_HEADER]?.split(' ') ?? [];
  if (thrower !== source) return;
  throw new HttpException(code ? { code, message: LOCKED_MESSAGE } : 'Redwood', Number(status));
}

@Injectable()
class ThrowingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    throwRequested('interceptor', context);
    return next.handle();
  }
}

@Injectable()
class ThrowingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    type Response = { header(name: string, value: string): unknown };
    // As `ThrottlerGuard` does before it throws.
    context.switchToHttp().getResponse<Response>().header('Retry-After', '42');
    throwRequested('guard', context);
    return true;
  }
}

@ResponseDto('A pong.')
class Pong {
  @Shown('A text.') readonly pong!: string;
}

const shared = {
  flag: 'acme',
  scope: 'offers:read',
  rateClass: 'read',
  response: Pong,
  errors: [{ status: 423, code: 'acme_locked', description: LOCKED_MESSAGE }],
  summary: 'Ping',
};

@Controller('acme/errors')
class PingController {
  @Get()
  @Endpoint(shared)
  get(): Pong {
    return { pong: 'get' };
  }

  @Put()
  @Endpoint(shared)
  put(): Pong {
    return { pong: 'put' };
  }

  @Post()
  @Endpoint({ ...shared, status: 201 })
  post(): Pong {
    return { pong: 'post' };
  }

  @Post('accepted')
  @Endpoint({ ...shared, status: 202 })
  accept(): Pong {
    return { pong: 'accepted' };
  }
}

@Module({
  controllers: [PingController],
  providers: [
    { provide: APP_INTERCEPTOR, useClass: ThrowingInterceptor },
    { provide: APP_GUARD, useClass: ThrowingGuard },
  ],
})
class ErrorsModule {}

let database: TestDatabase;
let service: TestService;
beforeAll(async () => {
  database = await createTestDatabase();
  await insert(database, world.records);
  const hostOptions = { imports: [ErrorsModule] };
  service = await TestService.start({ database, hostOptions, env: { ROLLOUT_ACME: 'on' } });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

async function thrown(path: string, exception: string): Promise<unknown> {
  const headers = { [STATUS_HEADER]: exception };
  const response = await service.send('GET', path, world.session, headers);
  expect(response.text).not.toContain('Redwood');
  expect(response.headers['service-api-version']).toBe('2026-10-13');
  return [response.status, response.code];
}

describe.each(SOURCES)('an HttpException of a global %s', (source) => {
  it.each([
    [400, 'invalid_request'],
    [402, 'invalid_request'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [408, 'unavailable'],
    [410, 'invalid_request'],
    [418, 'invalid_request'],
    [429, 'rate_limited'],
    [451, 'invalid_request'],
    [500, 'internal'],
    [502, 'internal'],
    [503, 'unavailable'],
    [504, 'unavailable'],
    [599, 'internal'],
  ])('keeps status %i on an endpoint of the host application', async (status, code) => {
    expect(await thrown(PATH, `${source} ${status}`)).toEqual([status, code]);
  });

  it('keeps its own code on an endpoint of the host application, declared or not', async () => {
    expect(await thrown(PATH, `${source} 423 acme_locked`)).toEqual([423, 'acme_locked']);
    expect(await thrown(PATH, `${source} 409 acme_other`)).toEqual([409, 'acme_other']);
    expect(await thrown(LIST, `${source} 423 acme_locked`)).toEqual([500, 'internal']);
  });

  it('becomes an internal error when it has a success status', async () => {
    expect(await thrown(PATH, `${source} 204`)).toEqual([500, 'internal']);
  });

  it.each([
    [401, 401, 'unauthenticated'],
    [403, 403, 'forbidden'],
    [404, 404, 'not_found'],
    [408, 503, 'unavailable'],
    [409, 500, 'internal'],
    [418, 500, 'internal'],
    [429, 429, 'rate_limited'],
    [502, 503, 'unavailable'],
    [503, 503, 'unavailable'],
    [504, 503, 'unavailable'],
    [507, 500, 'internal'],
  ])(
    'is mapped from status %i to %i on the endpoints of the contract',
    async (status, sent, code) => {
      expect(await thrown(LIST, `${source} ${status}`)).toEqual([sent, code]);
      expect(await thrown(`${LIST}/${world.set.id}`, `${source} ${status}`)).toEqual([sent, code]);
    },
  );

  it('with status 400 is one of the list, whose input can be invalid, and not of the get', async () => {
    expect(await thrown(LIST, `${source} 400`)).toEqual([400, 'invalid_request']);
    expect(await thrown(`${LIST}/${world.set.id}`, `${source} 400`)).toEqual([500, 'internal']);
  });

  it('is logged with the route', async () => {
    await thrown(LIST, `${source} 507`);
    // In a host application, the pattern begins with its global prefix.
    const route = hostedPath(LIST);
    const lines = service.logLines.filter((line) => line.includes('"status":500'));
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ route, code: 'internal' });
  });
});

it('keeps the Retry-After of a global guard for 429', async () => {
  const headers = { [STATUS_HEADER]: 'guard 429' };
  const rejection = await service.send('GET', LIST, world.session, headers);
  expect([rejection.status, rejection.headers['retry-after']]).toEqual([429, '42']);
});

describe('the API description', () => {
  it.each([
    ['GET', PATH, 200],
    ['PUT', PATH, 200],
    ['POST', PATH, 201],
    ['POST', `${PATH}/accepted`, 202],
  ])('documents the status that %s %s sends', async (method, path, status) => {
    const { text } = await service.call('/api/v1/openapi.json');
    type Operation = Readonly<Record<string, { readonly responses: object }>>;
    const { paths } = JSON.parse(text) as { readonly paths: Readonly<Record<string, Operation>> };
    const responses = paths[path]![method.toLowerCase()]!.responses;
    const successes = Object.keys(responses).filter((documented) => documented < '400');
    expect(successes).toEqual([String(status)]);
    expect((await service.send(method, path, world.session)).status).toBe(status);
  });
});
