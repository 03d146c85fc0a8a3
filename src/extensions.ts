import type { ModuleMetadata } from '@nestjs/common';
import type { AccessTokenVerifier } from './auth/access-token/access-token-verifier.js';
import type { GrantStore } from './auth/access-token/grant-store.js';
import type { SessionStore } from './auth/session/session-store.js';
import type { DisplayTexts } from './deal-sets/additions/display-texts.js';
import type { OwnFields } from './deal-sets/additions/own-field.js';
import type { RowOrder } from './deal-sets/additions/row-order.js';
import type { DealSetQueries } from './deal-sets/queries/deal-set-queries.js';
import type { OwnError } from './http/own-errors.js';
import type { Override, Undecorated } from './kernel/provider-override.js';
import type { LogSink } from './observability/log-sink.js';
import type { OwnMetric } from './observability/metrics.js';
import type { RequestObserver } from './observability/request-observer.js';
import type { RateClass } from './rate-limit/rate-classes.js';
import type { RateLimitStorage } from './rate-limit/rate-limit-storage.js';
import type { RedactionRule } from './deal-sets/redaction/redaction-rule.js';
import type { Rollout } from './rollout/rollout.js';

/**
 * Every part of the service that a team may replace or add to. A part is a class, a factory with its
 * dependencies, an object, or a function that wraps the shipped part; what is not given keeps its default.
 * The comment of each port says what an implementation guarantees, what it must never do, and what happens
 * when it fails.
 */
export interface DealSetsExtensions {
  /**
   * The versions of this package that the extensions were made for, such as `^2.0`; another version does not
   * start. Default: any.
   */
  readonly compatibility?: string;
  /** Where the website keeps its sessions. Default: the service's own PostgreSQL. */
  readonly sessionStore?: Override<SessionStore>;
  /** Where approvals of assistants are kept. Default: the service's own PostgreSQL. */
  readonly grantStore?: Override<GrantStore>;
  /** What makes a bearer token valid. Default: JWT access tokens of the configured issuer. */
  readonly accessTokenVerifier?: Override<AccessTokenVerifier>;
  /** For which callers an endpoint is on. Default: the settings `ROLLOUT_<FLAG>`. */
  readonly rollout?: Override<Rollout>;
  /** Where instances share rate-limit counters. Default: Redis where configured, else this process alone. */
  readonly rateLimitStorage?: Override<RateLimitStorage>;
  /** Rate classes beside `read`, by the name that endpoints declare. Default: none. */
  readonly rateClasses?: Readonly<Record<string, RateClass>>;
  /** Where requests are read from. Default: PostgreSQL. */
  readonly queries?: Override<DealSetQueries>;
  /** Nullable fields of rows and entries, withheld from assistants unless declared otherwise. Default: none. */
  readonly fields?: OwnFields;
  /** The order of rows of equal price, below the hero. Default: the earlier writing, then the key. */
  readonly rowOrder?: RowOrder;
  /** Display texts in place of the service's, such as a locale. Default: English. */
  readonly displayTexts?: DisplayTexts;
  /** Errors with status and text that any part of a request may throw. Default: none. */
  readonly errors?: readonly OwnError[];
  /** Rules that hide further listing facts or fields from a principal. Default: none. */
  readonly redactionRules?: readonly RedactionRule[];
  /**
   * Scopes that the buyer's own session holds besides the contract's, each declared by an endpoint. Default:
   * every declared scope.
   */
  readonly sessionScopes?: readonly string[];
  /** Called when a request is over, refused and aborted ones included. Default: none. */
  readonly requestObservers?: readonly Undecorated<RequestObserver>[];
  /** Where log lines go. Default: standard output. */
  readonly logSink?: LogSink;
  /** Metrics of the team, served on the management port beside the service's. Default: none. */
  readonly metrics?: readonly OwnMetric[];
  /** Modules of the team: their controllers are served, and their providers can be asked for by the parts above. */
  readonly imports?: ModuleMetadata['imports'];
}
