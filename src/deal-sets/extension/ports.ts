import type { InjectionToken, Provider } from '@nestjs/common';
import { AssistantAuthenticator } from '../../auth/bearer/assistant-authenticator.js';
import { GrantStore } from '../../auth/bearer/grant-store.js';
import { JwtAuthenticator } from '../../auth/bearer/jwt-authenticator.js';
import { PostgresGrantStore } from '../../auth/bearer/postgres-grant-store.js';
import { PostgresSessionStore } from '../../auth/session/postgres-session-store.js';
import { SessionStore } from '../../auth/session/session-store.js';
import { Settings } from '../../config/settings.js';
import { TimeLimits } from '../../kernel/time-limits.js';
import { JoinedMetrics, MetricsRegistry } from '../../observability/metrics.js';
import { RequestObserver } from '../../observability/request-observer.js';
import { InProcessStorage } from '../../rate-limit/in-process-storage.js';
import { RateLimitStorage } from '../../rate-limit/rate-limit-storage.js';
import { RedisStorage } from '../../rate-limit/redis-storage.js';
import { Rollout } from '../../rollout/rollout.js';
import { SettingsRollout } from '../../rollout/settings-rollout.js';
import { DisplayTexts, EnglishDisplayTexts } from './display-texts.js';

/**
 * Every port of the service, with its default. A host application can replace these classes and no
 * others. Nest uses the last provider of a token, so the host application's providers follow these.
 * The module of each default exports it, so that a replacement can inject and wrap it.
 */
export const PORTS = [
  { provide: SessionStore, useExisting: PostgresSessionStore },
  { provide: GrantStore, useExisting: PostgresGrantStore },
  { provide: AssistantAuthenticator, useExisting: JwtAuthenticator },
  { provide: Rollout, useExisting: SettingsRollout },
  {
    provide: RateLimitStorage,
    useFactory: ({ redisUrl }: Settings, inProcess: InProcessStorage, limits: TimeLimits) =>
      redisUrl === undefined ? inProcess : new RedisStorage(redisUrl, limits),
    inject: [Settings, InProcessStorage, TimeLimits],
  },
  { provide: DisplayTexts, useExisting: EnglishDisplayTexts },
  { provide: RequestObserver, useValue: { observe: () => undefined } },
  { provide: MetricsRegistry, useClass: JoinedMetrics },
] as const satisfies readonly Provider[];

/** The methods of each port. */
export const PORT_METHODS: ReadonlyMap<InjectionToken, readonly string[]> = new Map<
  InjectionToken,
  readonly string[]
>([
  [SessionStore, ['find'] satisfies (keyof SessionStore)[]],
  [GrantStore, ['find'] satisfies (keyof GrantStore)[]],
  [AssistantAuthenticator, ['authenticate'] satisfies (keyof AssistantAuthenticator)[]],
  [Rollout, ['isOn'] satisfies (keyof Rollout)[]],
  [RateLimitStorage, ['increment'] satisfies (keyof RateLimitStorage)[]],
  [DisplayTexts, ['forCaller'] satisfies (keyof DisplayTexts)[]],
  [RequestObserver, ['observe'] satisfies (keyof RequestObserver)[]],
  [MetricsRegistry, ['register', 'text'] satisfies (keyof MetricsRegistry)[]],
]);

/** The tokens of the ports. */
export const PORT_TOKENS: readonly InjectionToken[] = PORTS.map(({ provide }) => provide);
