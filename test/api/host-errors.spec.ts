import {
  Controller,
  Get,
  HttpCode,
  HttpException,
  Injectable,
  Module,
  Post,
  Put,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { throwError, type Observable } from 'rxjs';
import { Endpoint, ResponseDto, Shown } from '../../src/index.js';
import { load, smallWorld } from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestService } from '../setup/test-service.js';

const world = smallWorld();
const PATH = '/acme/errors';
const STATUS_HEADER = 'x-acme-status';

/** Throws an exception with the status that the request names, for every route. */
@Injectable()
class ThrowingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    const status = headers[STATUS_HEADER];
    if (status === undefined) return next.handle();
    return throwError(() => new HttpException('Redwood', Number(status)));
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
  @Endpoint(shared)
  post(): Pong {
    return { pong: 'post' };
  }

  @Post('accepted')
  @HttpCode(202)
  @Endpoint(shared)
  accept(): Pong {
    return { pong: 'accepted' };
  }
}

@Module({
  controllers: [PingController],
  providers: [{ provide: APP_INTERCEPTOR, useClass: ThrowingInterceptor }],
})
class ErrorsModule {}

let database: TestDatabase;
let service: TestService;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  const hostOptions = { imports: [ErrorsModule] };
  service = await TestService.start({ database, hostOptions, env: { ROLLOUT_ACME: 'on' } });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

async function thrown(path: string, status: number): Promise<unknown> {
  const headers = { [STATUS_HEADER]: String(status) };
  const response = await service.send('GET', path, world.session, headers);
  expect(response.text).not.toContain('Redwood');
  expect(response.headers['service-api-version']).toBe('2026-10-13');
  return [response.status, response.code];
}

describe('an HttpException', () => {
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
    expect(await thrown(PATH, status)).toEqual([status, code]);
  });

  it('becomes an internal error when it has a success status', async () => {
    expect(await thrown(PATH, 204)).toEqual([500, 'internal']);
  });

  it.each([
    [400, 400, 'invalid_request'],
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
      expect(await thrown(LIST, status)).toEqual([sent, code]);
      expect(await thrown(`${LIST}/${world.set.id}`, status)).toEqual([sent, code]);
    },
  );
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
