import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AccessTokenVerifier } from './auth/access-token/access-token-verifier.js';
import { GrantStore } from './auth/access-token/grant-store.js';
import { SessionStore } from './auth/session/session-store.js';
import { DealSetQueries } from './deal-sets/queries/deal-set-queries.js';
import type { DealSetsExtensions } from './extensions.js';
import { Log } from './observability/logger.js';
import { RateLimitStorage } from './rate-limit/rate-limit-storage.js';
import { Rollout } from './rollout/rollout.js';

export const EXTENSIONS = Symbol('extensions');

const PORTS = {
  sessionStore: SessionStore,
  grantStore: GrantStore,
  accessTokenVerifier: AccessTokenVerifier,
  rollout: Rollout,
  rateLimitStorage: RateLimitStorage,
  queries: DealSetQueries,
} as const;

/** Logs at each start which parts are in place: a replaced part that is not there is seen at once. */
@Injectable()
export class PartsLog implements OnApplicationBootstrap {
  constructor(
    private readonly modules: ModuleRef,
    private readonly log: Log,
    @Inject(EXTENSIONS) private readonly extensions: DealSetsExtensions,
  ) {}

  onApplicationBootstrap(): void {
    const { extensions } = this;
    const parts = Object.fromEntries(
      Object.entries(PORTS).map(([name, port]) => {
        const part = this.modules.get<object | undefined>(port, { strict: false });
        return [name, part?.constructor.name ?? 'none'];
      }),
    );
    this.log.info(
      {
        parts,
        rateClasses: Object.keys(extensions.rateClasses ?? {}),
        redactionRules: extensions.redactionRules?.length ?? 0,
        ownFields: Object.entries(extensions.fields ?? {}).flatMap(([place, fields]) =>
          Object.keys(fields as object).map((name) => `${place}.${name}`),
        ),
        displayTexts: Object.keys(extensions.displayTexts ?? {}),
        errors: (extensions.errors ?? []).map(({ code }) => code),
        imports: (extensions.imports ?? []).map(nameOfModule),
      },
      'parts in place',
    );
  }
}

function nameOfModule(given: unknown): string {
  if (typeof given === 'function') return given.name;
  const { module } = given as { readonly module?: { readonly name: string } };
  return module?.name ?? 'module';
}
