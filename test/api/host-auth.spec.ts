import { Controller, Get, Post, UseFilters, UseGuards, type ModuleMetadata } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  AuthModule,
  BuyerAuthGuard,
  ContractFilter,
  CurrentPrincipal,
  DealSetsModule,
  RequireScope,
  SessionStore,
  type Principal,
} from '../../src/index.js';
import { NestCacheModule } from '../setup/caching-modules.js';
import { bearer, cookie } from '../setup/http-call.js';
import { bootModuleHost, startModuleHost, type ModuleHost } from '../setup/module-host.js';
import { TestService } from '../setup/test-service.js';
import { moduleHostSuite } from './module-host-suite.js';

interface ReadResult {
  readonly type: string;
  readonly buyerId: string;
  readonly scopes: readonly string[];
}

@UseGuards(BuyerAuthGuard)
@UseFilters(ContractFilter)
@Controller('notes')
class NotesController {
  @Get()
  @RequireScope('offers:read')
  read(@CurrentPrincipal() { type, buyerId, scopes }: Principal): ReadResult {
    return { type, buyerId, scopes: [...scopes].sort() };
  }

  @Post()
  @RequireScope('notes:write')
  write(@CurrentPrincipal() { type }: Principal): { readonly writtenBy: string } {
    return { writtenBy: type };
  }
}

const suite = moduleHostSuite();
const { buyerId, session, assistant, settings } = suite;

/** The response of a controller with `BuyerAuthGuard` in any application. */
function testSignIn(get: () => Pick<ModuleHost, 'call'>): void {
  it('passes a handler the buyer with every declared scope, and an assistant its own', async () => {
    const own = await get().call('/notes', session);
    expect(JSON.parse(own.text)).toEqual({
      type: 'session',
      buyerId,
      scopes: expect.arrayContaining(['notes:write', 'offers:read']) as unknown,
    });
    const seen = await get().call('/notes', await assistant());
    expect(JSON.parse(seen.text)).toEqual({
      type: 'assistant',
      buyerId,
      scopes: ['offers:read'],
    });
    expect(seen.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'service-request-id': expect.any(String) as unknown,
    });
  });

  it.each([
    ['no credential', {}],
    ['an unknown session', cookie('of-nobody-whatever-it-is')],
    ['a malformed token', bearer('none')],
  ])('rejects %s with 401 and the challenge', async (_what, options) => {
    const rejection = await get().call('/notes', options);
    expect([rejection.status, rejection.code]).toEqual([401, 'unauthenticated']);
    expect(rejection.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  it('rejects a token without the scope with 403 and the scope it lacks', async () => {
    const rejection = await get().call('/notes', { method: 'POST', ...(await assistant()) });
    expect([rejection.status, rejection.code]).toEqual([403, 'insufficient_scope']);
    expect(rejection.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="notes:write"',
    );
    const written = await get().call('/notes', { method: 'POST', ...session });
    expect([written.status, written.text]).toEqual([201, '{"writtenBy":"session"}']);
  });
}

describe('AuthModule in an application without DealSetsModule', () => {
  let host: ModuleHost;
  beforeAll(async () => {
    const auth = AuthModule.forRootAsync({
      useFactory: () => Promise.resolve({ settings: settings() }),
    });
    host = await startModuleHost({ imports: [auth], controllers: [NotesController] });
  });
  afterAll(() => host.stop());

  testSignIn(() => host);

  it('does not serve the two read endpoints', async () => {
    expect((await host.call('/api/v1/deal-sets', session)).status).toBe(404);
  });

  it('uses the session store of the host application', async () => {
    const sessions = { find: () => Promise.resolve(null) };
    const other = await startModuleHost({
      imports: [
        AuthModule.forRoot({
          settings: settings(),
          providers: [{ provide: SessionStore, useValue: sessions }],
        }),
      ],
      controllers: [NotesController],
    });
    expect((await other.call('/notes', session)).status).toBe(401);
    await other.stop();
  });
});

describe('BuyerAuthGuard in an application with DealSetsModule', () => {
  let host: ModuleHost;
  beforeAll(async () => {
    const imports = [DealSetsModule.forRoot({ settings: settings() })];
    host = await startModuleHost({ imports, controllers: [NotesController] });
  });
  afterAll(() => host.stop());

  testSignIn(() => host);
});

describe('BuyerAuthGuard without ContractFilter', () => {
  @UseGuards(BuyerAuthGuard)
  @Controller('plain')
  class PlainController {
    @Get()
    @RequireScope('plain:read')
    read(@CurrentPrincipal() { buyerId: id }: Principal): { readonly id: string } {
      return { id };
    }

    @Get('session')
    @RequireScope('offers:read')
    forEveryone(@CurrentPrincipal() { type }: Principal): { readonly type: string } {
      return { type };
    }
  }

  const withPlain = (
    imports: NonNullable<ModuleMetadata['imports']>,
    work: (host: ModuleHost) => Promise<void>,
  ): Promise<void> =>
    startModuleHost({
      imports: [AuthModule.forRoot({ settings: settings() }), ...imports],
      controllers: [PlainController],
    }).then((host) => work(host).finally(() => host.stop()));

  it('sends the status, the envelope and the challenge by the filter of Nest', () =>
    withPlain([], async (host) => {
      const missing = await host.call('/plain');
      expect([missing.status, missing.code]).toEqual([401, 'unauthenticated']);
      expect(missing.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      const narrow = await host.call('/plain', await assistant());
      expect([narrow.status, narrow.code]).toEqual([403, 'insufficient_scope']);
      expect(narrow.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_scope", scope="plain:read"',
      );
      expect((await host.call('/plain', session)).status).toBe(200);
    }));

  it('is not cached by @nestjs/cache-manager', () =>
    withPlain([NestCacheModule], async (host) => {
      expect((await host.call('/plain/session', session)).text).toContain('session');
      expect((await host.call('/plain/session', await assistant())).text).toContain('assistant');
    }));
});

describe('an application with a wrong AuthModule', () => {
  const TWICE =
    'AuthModule was imported twice: it is global and part of DealSetsModule, so import only one of the two, once';

  it('does not start beside DealSetsModule', async () => {
    const hostApplication = { imports: [AuthModule.forRoot({ settings: settings() })] };
    await expect(TestService.start({ database: suite.database, hostApplication })).rejects.toThrow(
      TWICE,
    );
  });

  it('does not start with two of them', async () => {
    const module = () => AuthModule.forRoot({ settings: settings() });
    await expect(bootModuleHost({ imports: [module(), module()] })).rejects.toThrow(TWICE);
  });

  it('does not start with a port that lacks its method, or without settings', async () => {
    const providers = [{ provide: SessionStore, useValue: {} }];
    const lacking = AuthModule.forRoot({ settings: settings(), providers });
    await expect(bootModuleHost({ imports: [lacking] })).rejects.toThrow(
      'providers: the provider of SessionStore has no method find: add it',
    );
    const empty = AuthModule.forRootAsync({ useFactory: () => undefined as never });
    await expect(bootModuleHost({ imports: [empty] })).rejects.toThrow(
      'useFactory: expected an object with settings, not undefined',
    );
  });

  it('does not start with a global guard beside DealSetsModule, whose endpoints have their own', async () => {
    const imports = [DealSetsModule.forRoot({ settings: settings() })];
    const providers = [{ provide: APP_GUARD, useClass: BuyerAuthGuard }];
    await expect(bootModuleHost({ imports, providers })).rejects.toThrow(
      'DealSetsController.listDealSets: more than one guard signs the caller in',
    );
  });

  it('rejects unknown options', () => {
    const options = { settings: settings(), throttlers: [] };
    expect(() => AuthModule.forRoot(options)).toThrow('AuthModule: unknown option throttlers');
  });
});
