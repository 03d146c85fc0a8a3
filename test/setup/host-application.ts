import { Controller, Get, HttpException, Injectable, Module } from '@nestjs/common';
import type {
  ArgumentsHost,
  CallHandler,
  CanActivate,
  ExceptionFilter,
  ExecutionContext,
  INestApplication,
  ModuleMetadata,
  NestInterceptor,
} from '@nestjs/common';
import { Catch, ValidationPipe } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import { PassportModule, PassportStrategy } from '@nestjs/passport';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import passport from 'passport';
import { map, type Observable } from 'rxjs';
import { CurrentPrincipal, Endpoint, isDealSetsEndpoint, type Principal } from '../../src/index.js';
import type { DealSetsModuleOptions } from '../../src/deal-sets/extension/deal-sets-options.module.js';
import { registerDealSetsAsync } from '../../src/deal-sets/deal-sets.module.js';
import { MCP_ROUTES } from '../../src/mcp/mcp-routes.js';
import type { JsonLogger } from '../../src/observability/json-logger.js';
import { ResponseDto, Shown } from '../../src/redaction/field.decorators.js';

/** The HTTP adapters of a host application. */
export type HostAdapter = 'fastify' | 'express';

/**
 * The adapter of the host application in which the module runs, or undefined where it runs
 * standalone. A project of `jest.config.js` sets it.
 */
export const HOST = (globalThis as { readonly TEST_HOST?: HostAdapter }).TEST_HOST;

/** The prefix of every path of the host application. */
const HOST_PREFIX = '/host';

/**
 * Returns the path under which a path of the module is served here; those of MCP have no prefix.
 */
export function hostedPath(path: string): string {
  return HOST && !MCP_ROUTES.includes(path) ? HOST_PREFIX + path : path;
}

/**
 * Registers tests of behavior that belongs to the application; they are skipped in a host
 * application.
 */
export const describeStandalone = HOST ? (): void => undefined : describe;

/**
 * A strategy of the host application that admits everyone as a session; it must apply to no
 * endpoint of the module.
 */
@Injectable()
class Everyone extends PassportStrategy(passport.Strategy, 'access-token') {
  override authenticate(this: passport.StrategyCreatedStatic): void {
    this.success({ type: 'session', buyerId: 'someone', scopes: new Set(['offers:read']) });
  }

  validate(): null {
    return null;
  }
}

/**
 * A guard of the host application that accepts only its own key and skips the endpoints of the
 * module.
 */
@Injectable()
class HostGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (isDealSetsEndpoint(context)) return true;
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return headers['x-host-key'] !== 'wrong';
  }
}

/** Counts requests to the host application's own routes. */
@Injectable()
class HostThrottlerGuard extends ThrottlerGuard {
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(isDealSetsEndpoint(context));
  }
}

@Injectable()
class HostInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (isDealSetsEndpoint(context)) return next.handle();
    return next.handle().pipe(map((value: unknown) => ({ wrapped: value })));
  }
}

@Catch()
class HostFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const response = host.switchToHttp().getResponse<{
      status: (status: number) => { send: (body: object) => void };
    }>();
    response.status(status).send({ host: status });
  }
}

@ResponseDto('A greeting.')
class Hello {
  @Shown('Who is greeted.')
  readonly buyerId!: string;
}

@Controller('shop')
class ShopController {
  @Get()
  read(): { open: boolean } {
    return { open: true };
  }

  @Get('broken')
  broken(): never {
    throw new Error('of the host');
  }

  /** A route of the host application that is an endpoint of the module. */
  @Get('hello')
  @Endpoint({
    flag: 'hello',
    scope: 'offers:read',
    rateClass: 'read',
    response: Hello,
    summary: 'Greet the buyer',
  })
  hello(@CurrentPrincipal() { buyerId }: Principal): Hello {
    return { buyerId };
  }
}

/** The additions of a test to the host application. */
export interface HostApplication extends Pick<ModuleMetadata, 'imports'> {
  /** Called before the application is initialized. */
  readonly configure?: (app: INestApplication) => void;
  /** The application's own port. Default: a free port. */
  readonly port?: number | undefined;
}

/**
 * Starts a host application that imports the module, with its own guard, pipe, filter, interceptor,
 * prefix, throttlers and passport options, on either adapter. Unknown paths, malformed HTTP, `HEAD`
 * and `OPTIONS`, lenient paths and the `ETag` of Express then belong to the host application and
 * not to the module.
 */
export async function startHost(
  adapter: HostAdapter,
  options: DealSetsModuleOptions,
  logger: JsonLogger,
  { imports = [], configure, port = 0 }: HostApplication = {},
): Promise<{ readonly app: INestApplication; readonly url: string; stop(): Promise<void> }> {
  @Module({
    imports: [
      ...imports,
      PassportModule.register({ defaultStrategy: 'access-token', property: 'account' }),
      ThrottlerModule.forRoot([
        { name: 'short', ttl: 1_000, limit: 1_000_000 },
        { name: 'default', ttl: 60_000, limit: 1_000_000 },
        { name: 'long', ttl: 600_000, limit: 1_000_000 },
      ]),
      registerDealSetsAsync(
        {
          ...(options.imports && { imports: options.imports }),
          ...(options.providers && { providers: options.providers }),
          useFactory: () => {
            const { imports: _imports, providers: _providers, ...values } = options;
            return Promise.resolve(values);
          },
        },
        logger,
      ),
    ],
    controllers: [ShopController],
    providers: [
      Everyone,
      { provide: APP_GUARD, useClass: HostGuard },
      { provide: APP_GUARD, useClass: HostThrottlerGuard },
      { provide: APP_INTERCEPTOR, useClass: HostInterceptor },
      { provide: APP_FILTER, useClass: HostFilter },
      {
        provide: APP_PIPE,
        useValue: new ValidationPipe({
          transform: true,
          whitelist: true,
          forbidNonWhitelisted: true,
          transformOptions: { enableImplicitConversion: true },
        }),
      },
    ],
  })
  class HostModule {}

  const app = await NestFactory.create(
    HostModule,
    adapter === 'fastify' ? new FastifyAdapter() : new ExpressAdapter(),

    { logger, abortOnError: false },
  );
  app.setGlobalPrefix(HOST_PREFIX, { exclude: [...MCP_ROUTES] });
  configure?.(app);
  // The host application's own document lists the endpoints of the module.
  const configuration = new DocumentBuilder().setOpenAPIVersion('3.1.0').build();
  SwaggerModule.setup(
    `${HOST_PREFIX}/docs`,
    app,
    () => SwaggerModule.createDocument(app, configuration, { ignoreGlobalPrefix: true }),
    { ui: false, raw: ['json'], jsonDocumentUrl: `${HOST_PREFIX}/api/v1/openapi.json` },
  );
  try {
    await app.listen(port, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  return { app, url: await app.getUrl(), stop: () => app.close() };
}
