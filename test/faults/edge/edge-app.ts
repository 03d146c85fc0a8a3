import {
  Controller,
  Get,
  Module,
  Param,
  Req,
  type CallHandler,
  type DynamicModule,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { from, lastValueFrom } from 'rxjs';
import { loadSettings } from '../../../src/config/load-settings.js';
import { Settings } from '../../../src/config/settings.js';
import { ContractFilter } from '../../../src/http/contract.filter.js';
import { Public } from '../../../src/http/endpoint-policy.js';
import { createFastifyAdapter, Entrance, HTTP_LIMITS } from '../../../src/http/entrance.js';
import { HttpModule } from '../../../src/http/http.module.js';
import { requestSignal, findContext } from '../../../src/http/request-context.js';
import { AppError } from '../../../src/kernel/app-error.js';
import { PortProviders } from '../../../src/kernel/port-providers.js';
import { untilAborted } from '../../../src/kernel/time-limit.js';
import { Log } from '../../../src/observability/logger.js';
import { NestLog } from '../../../src/observability/nest-log.js';
import {
  APPLICATION_LOG,
  ObservabilityModule,
} from '../../../src/observability/observability.module.js';

/** The one id the pretended get endpoint knows. */
export const KNOWN_ID = '0193b1de-7f2a-7c3e-9d51-6b1f0a2c4d88';

/** Stands in the messages of what is thrown; must never come out anywhere. */
export const SECRET = 'SECRET-VIN-1HGCM82633A004352';

/** What the handlers saw, to know what happened behind a response. */
export class Seen {
  readonly ended: string[] = [];
  readonly finished: string[] = [];
  calls = 0;
}

/** Endpoints of the shape of the real ones, and some that misbehave. */
@Controller()
@Public()
class EdgeController {
  constructor(private readonly seen: Seen) {}

  @Get('api/v1/deal-sets')
  list(): { data: unknown[] } {
    this.seen.calls += 1;
    return { data: [] };
  }

  @Get('api/v1/deal-sets/:id')
  get(@Req() request: FastifyRequest, @Param('id') id: string): { data: unknown } {
    this.seen.calls += 1;
    if (request.headers.authorization === undefined) throw new AppError('unauthenticated');
    if (id.toLowerCase() !== KNOWN_ID) throw new AppError('not_found');
    return { data: { dealSetId: KNOWN_ID } };
  }

  @Get('misbehave/wait/:milliseconds')
  async wait(
    @Req() request: FastifyRequest,
    @Param('milliseconds') milliseconds: string,
  ): Promise<{ data: string }> {
    const signal = findContext(request.raw)?.signal;
    signal?.addEventListener('abort', () => this.seen.ended.push(milliseconds));
    await sleep(Number(milliseconds));
    this.seen.finished.push(milliseconds);
    return { data: milliseconds };
  }

  @Get('misbehave/late-failure')
  async lateFailure(): Promise<never> {
    await sleep(600);
    this.seen.finished.push('late-failure');
    throw new Error(SECRET);
  }

  @Get('misbehave/hang')
  hang(): Promise<never> {
    return new Promise(() => undefined);
  }

  @Get('misbehave/scope')
  scope(): never {
    throw new AppError('insufficient_scope', { scope: 'offers:read' });
  }

  @Get('misbehave/rate/:seconds')
  rate(@Param('seconds') seconds: string): never {
    throw new AppError('rate_limited', { retryAfterSeconds: Number(seconds) });
  }

  @Get('misbehave/full')
  full(): never {
    throw new AppError('unavailable', { retryAfterSeconds: 2, cause: new Error(SECRET) });
  }

  @Get('misbehave/unverifiable')
  unverifiable(): never {
    throw new AppError('auth_unverifiable', { retryAfterSeconds: 2 });
  }

  @Get('misbehave/throw/:kind')
  throwWhat(@Param('kind') kind: string): never {
    throw THROWN[kind]?.();
  }
}

/** Things that are awkward to answer for. */
export const THROWN: Readonly<Record<string, () => unknown>> = {
  error: () => new Error(SECRET),
  undefined: () => undefined,
  string: () => SECRET,
  'http-like': () => ({ statusCode: 418, message: SECRET }),
  'wrong-wait': () => new AppError('rate_limited', { retryAfterSeconds: NaN }),
  'line-breaks': () => new Error(`\r\nSet-Cookie: ${SECRET}\r\n\r\n`),
};

/** Ends the wait for a handler at the deadline, as the interceptor of endpoints does. */
class DeadlineInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    return from(untilAborted(requestSignal(execution), lastValueFrom(next.handle())));
  }
}

@Module({})
class EdgeTestModule {
  static register(env: NodeJS.ProcessEnv, log: Log, seen: Seen): DynamicModule {
    const shared = [
      { provide: Settings, useValue: loadSettings(env) },
      { provide: APPLICATION_LOG, useValue: log },
    ];
    return {
      module: EdgeTestModule,
      global: true,
      imports: [ObservabilityModule.register(new PortProviders([], {})), HttpModule],
      providers: [
        ...shared,
        { provide: Seen, useValue: seen },
        Entrance,
        { provide: APP_FILTER, useExisting: ContractFilter },
        { provide: APP_INTERCEPTOR, useClass: DeadlineInterceptor },
      ],
      exports: shared.map(({ provide }) => provide),
      controllers: [EdgeController],
    };
  }
}

export interface EdgeApp {
  readonly app: NestFastifyApplication;
  readonly port: number;
  readonly seen: Seen;
  /** The log so far, one parsed line an element. */
  lines(): Record<string, unknown>[];
}

/** The edge with pretended endpoints behind it, listening on a free port. */
export async function startEdgeApp(
  env: NodeJS.ProcessEnv = {},
  limits: Partial<typeof HTTP_LIMITS> = {},
): Promise<EdgeApp> {
  const written: string[] = [];
  const log = new Log('info', { write: (line: string) => written.push(line) });
  const seen = new Seen();
  const app = await NestFactory.create<NestFastifyApplication>(
    EdgeTestModule.register({ REQUEST_DEADLINE_MS: '300', ...env }, log, seen),
    createFastifyAdapter(log, { ...HTTP_LIMITS, ...limits }),
    { logger: new NestLog(log), bodyParser: false, abortOnError: false },
  );
  app.get(Entrance).open();
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const lines = (): Record<string, unknown>[] =>
    written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { app, port, seen, lines };
}
