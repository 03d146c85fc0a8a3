import { Injectable } from '@nestjs/common';
import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig } from '@nestjs/core';
import type { Route } from '../http/route-discovery.js';
import { BuyerAuthGuard } from './buyer-auth.guard.js';
import { CredentialGuard } from './credential.guard.js';

/** The properties of a route's guards that the boot check of sign-in uses. */
export interface RouteGuards {
  /** Whether `@UseGuards` binds any guard to the handler or its controller. */
  readonly hasBoundGuard: boolean;
  /** How many guards sign the caller in, the global ones included. */
  readonly signInGuardCount: number;
  /** Whether one of these is a `BuyerAuthGuard`, which also checks the scope. */
  readonly hasBuyerAuthGuard: boolean;
}

/** Finds the guards of a route: those of its handler and its controller, and the global ones. */
@Injectable()
export class GuardDiscovery {
  constructor(private readonly application: ApplicationConfig) {}

  /** Summarizes the guards of a route. */
  guardsOf(route: Route): RouteGuards {
    const own = [route.handler, route.controller].flatMap(guardsOn);
    const requestScoped = this.application.getGlobalRequestGuards().map(({ metatype }) => metatype);
    const all: unknown[] = [...own, ...this.application.getGlobalGuards(), ...requestScoped];
    return {
      hasBoundGuard: own.length > 0,
      signInGuardCount: all.filter((guard) => isKindOf(guard, CredentialGuard)).length,
      hasBuyerAuthGuard: all.some((guard) => isKindOf(guard, BuyerAuthGuard)),
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
