import {
  Controller,
  Get,
  Injectable,
  UseGuards,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import { ApplicationConfig, MetadataScanner, Reflector, type DiscoveryService } from '@nestjs/core';
import { RouteDiscovery } from '../http/route-discovery.js';
import { BuyerAuthGuard } from './buyer-auth.guard.js';
import { CredentialGuard } from './credential.guard.js';
import { RequireScope } from './require-scope.decorator.js';
import { ScopeDeclarations } from './scope-declarations.js';
import { GuardDiscovery } from './guard-discovery.js';

/** Runs the check on the routes of one controller, in an application with these global guards. */
function check(controller: Type, globalGuards: readonly CanActivate[] = []): void {
  const discovery = { getControllers: () => [{ metatype: controller }] };
  const routes = new RouteDiscovery(
    discovery as unknown as DiscoveryService,
    new MetadataScanner(),
    new Reflector(),
  );
  const application = new ApplicationConfig();
  application.useGlobalGuards(...globalGuards);
  new ScopeDeclarations(routes, new GuardDiscovery(application)).onModuleInit();
}

function requiring(scope: string): Type {
  @Controller('notes')
  class Notes {
    @Get() @UseGuards(BuyerAuthGuard) @RequireScope(scope) list(): void {}
  }
  return Notes;
}

@Controller('notes')
class WithoutScope {
  @Get() @UseGuards(BuyerAuthGuard) list(): void {}
  @Get('page') page(): void {}
}

@UseGuards(BuyerAuthGuard)
@Controller('notes')
class GuardedAsAWhole {
  @Get() list(): void {}
  @Get('mine') @RequireScope('notes:read') mine(): void {}
}

@RequireScope('notes:read')
@UseGuards(BuyerAuthGuard)
@Controller('notes')
class DeclaredAsAWhole {
  @Get() list(): void {}
}

@Injectable()
class OwnGuard extends BuyerAuthGuard {}

@Controller('notes')
class WithOwnGuard {
  @Get() @UseGuards(OwnGuard) list(): void {}
}

@Controller('notes')
class WithInstance {
  @Get() @UseGuards(new BuyerAuthGuard()) list(): void {}
}

@Controller('notes')
class Unguarded {
  @Get() @RequireScope('notes:read') list(): void {}
}

class OtherGuard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

@Controller('notes')
class GuardedOtherwise {
  @Get() @UseGuards(OtherGuard) @RequireScope('notes:read') list(): void {}
}

@UseGuards(BuyerAuthGuard)
@Controller('notes')
class GuardedTwice {
  @Get() @UseGuards(CredentialGuard) @RequireScope('notes:read') list(): void {}
}

const TWICE = 'more than one guard signs the caller in: use @Endpoint or one BuyerAuthGuard';

describe('the check of declared scopes', () => {
  it.each([['a b'], [''], ['"notes"']])(
    'stops the boot on %j, which is not a scope token',
    (scope) => {
      const problem = 'Notes.list: scope: expected one token without blanks or quotes';
      expect(() => check(requiring(scope))).toThrow(problem);
    },
  );

  it.each([
    ['a handler', WithoutScope],
    ['a controller', GuardedAsAWhole],
    ['a handler with a subclass of it', WithOwnGuard],
    ['a handler with an instance of it', WithInstance],
  ])('stops the boot on BuyerAuthGuard without a scope: %s', (_what, controller) => {
    const problem = `${controller.name}.list: declare the scope for BuyerAuthGuard with @RequireScope`;
    expect(() => check(controller)).toThrow(new Error(problem));
  });

  it('accepts a scope of the handler or of its controller', () => {
    expect(() => check(DeclaredAsAWhole)).not.toThrow();
    expect(() => check(requiring('notes:write'))).not.toThrow();
  });

  it('stops the boot on a scope that no guard checks, also beside global guards', () => {
    const problem = 'Unguarded.list: no guard checks @RequireScope: add @UseGuards(BuyerAuthGuard)';
    expect(() => check(Unguarded)).toThrow(new Error(problem));
    expect(() => check(Unguarded, [new OtherGuard()])).toThrow(new Error(problem));
    expect(() => check(GuardedOtherwise)).not.toThrow();
  });

  it('stops the boot on a handler with more than one sign-in', () => {
    expect(() => check(GuardedTwice)).toThrow(new Error(`GuardedTwice.list: ${TWICE}`));
    expect(() => check(DeclaredAsAWhole, [new BuyerAuthGuard()])).toThrow(
      new Error(`DeclaredAsAWhole.list: ${TWICE}`),
    );
  });

  it('accepts a global guard where each handler declares a scope', () => {
    expect(() => check(Unguarded, [new BuyerAuthGuard()])).not.toThrow();
    expect(() => check(WithoutScope, [new BuyerAuthGuard()])).toThrow('WithoutScope.page: declare');
  });
});
