import { Injectable } from '@nestjs/common';
import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig } from '@nestjs/core';
import type { Route } from '../http/route-discovery.js';
import { BuyerAuthGuard } from './buyer-auth.guard.js';
import { CredentialGuard } from './credential.guard.js';

/** The guards of a route, as the boot checks of sign-in see them. */
export interface RouteGuards {
  /** Whether `@UseGuards` binds any guard to the handler or its controller. */
  readonly hasOwn: boolean;
  /** How many guards sign the caller in, the global ones included. */
  readonly signIns: number;
  /** Whether one of these guards also checks the scope. */
  readonly checksScope: boolean;
}

/** Finds the guards of a route by the metadata of its controller. */
@Injectable()
export class SignInGuards {
  constructor(private readonly application: ApplicationConfig) {}

  /** Returns what is known of the guards of a route. */
  guardsOf(route: Route): RouteGuards {
    const own = [route.handler, route.controller].flatMap(guardsOn);
    const requestScoped = this.application.getGlobalRequestGuards().map(({ metatype }) => metatype);
    const all: unknown[] = [...own, ...this.application.getGlobalGuards(), ...requestScoped];
    return {
      hasOwn: own.length > 0,
      signIns: all.filter((guard) => isKindOf(guard, CredentialGuard)).length,
      checksScope: all.some((guard) => isKindOf(guard, BuyerAuthGuard)),
    };
  }
}

function guardsOn(target: object): unknown[] {
  const guards: unknown = Reflect.getMetadata(GUARDS_METADATA, target);
  return Array.isArray(guards) ? guards : [];
}

/** Returns whether a guard is an instance of a class, the class itself or a subclass. */
function isKindOf(guard: unknown, kind: typeof CredentialGuard): boolean {
  if (guard instanceof kind) return true;
  return typeof guard === 'function' && (guard === kind || guard.prototype instanceof kind);
}
