import type { ModuleMetadata } from '@nestjs/common';
import type { AccessTokenVerifier } from './auth/access-token/access-token-verifier.js';
import type { GrantStore } from './auth/access-token/grant-store.js';
import type { SessionStore } from './auth/session/session-store.js';
import type { DealSetReader } from './deal-sets/reader/deal-set-reader.js';
import type { Seam } from './kernel/seam.js';
import type { RateClass } from './rate-limit/rate-classes.js';
import type { RateLimitStorage } from './rate-limit/rate-limit-storage.js';
import type { RedactionRule } from './response-shape/redaction-rule.js';
import type { Rollout } from './rollout/rollout.js';

/**
 * Every part of the service that a team may fill with its own. A seam takes a class, a factory with its
 * dependencies, or an object; what is not given keeps its default. The port that a seam names tells what
 * an implementation guarantees, what it must never do, and what happens when it fails.
 */
export interface DealSetsExtensions {
  /**
   * The versions of this package that the extensions were made for, such as `^2.0`; another version does not
   * start. Default: any.
   */
  readonly compatibility?: string;
  /** Where the website keeps its sessions. Default: the service's own PostgreSQL. */
  readonly sessionStore?: Seam<SessionStore>;
  /** Where approvals of assistants are kept. Default: the service's own PostgreSQL. */
  readonly grantStore?: Seam<GrantStore>;
  /** What makes a bearer token valid. Default: JWT access tokens of the configured issuer. */
  readonly accessTokenVerifier?: Seam<AccessTokenVerifier>;
  /** For which callers an endpoint is on. Default: the settings `ROLLOUT_<FLAG>`. */
  readonly rollout?: Seam<Rollout>;
  /** Where instances share rate-limit counters. Default: Redis where configured, else this process alone. */
  readonly rateLimitStorage?: Seam<RateLimitStorage>;
  /** Rate classes beside `read`, by the name that endpoints declare. Default: none. */
  readonly rateClasses?: Readonly<Record<string, RateClass>>;
  /** Where requests are read from. Default: PostgreSQL. */
  readonly reader?: Seam<DealSetReader>;
  /** Rules that name further fields to hide from a principal. Default: none. */
  readonly redactionRules?: readonly Seam<RedactionRule>[];
  /** Modules of the team: their controllers are served, and their providers can be asked for by the parts above. */
  readonly imports?: ModuleMetadata['imports'];
}
