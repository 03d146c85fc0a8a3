import { Controller, Get, UseGuards, type Type } from '@nestjs/common';
import { MetadataScanner, Reflector, type DiscoveryService } from '@nestjs/core';
import { RouteDiscovery } from '../http/route-discovery.js';
import { BuyerAuthGuard } from './buyer-auth.guard.js';
import { RequireScope } from './require-scope.decorator.js';
import { ScopeDeclarations } from './scope-declarations.js';

/** Runs the check on the routes of one controller. */
function check(controller: Type): void {
  const discovery = { getControllers: () => [{ metatype: controller }] };
  const routes = new RouteDiscovery(
    discovery as unknown as DiscoveryService,
    new MetadataScanner(),
    new Reflector(),
  );
  new ScopeDeclarations(routes).onModuleInit();
}

function requiring(scope: string): Type {
  @Controller('notes')
  class Notes {
    @Get() @RequireScope(scope) list(): void {}
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
  ])('stops the boot on %s with BuyerAuthGuard and no scope', (_what, controller) => {
    const problem = `${controller.name}.list: declare the scope for BuyerAuthGuard with @RequireScope`;
    expect(() => check(controller)).toThrow(new Error(problem));
  });

  it('accepts a scope of the handler or of its controller', () => {
    expect(() => check(DeclaredAsAWhole)).not.toThrow();
    expect(() => check(requiring('notes:write'))).not.toThrow();
  });
});
