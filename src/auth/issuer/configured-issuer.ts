import type { Settings } from '../../config/settings.js';
import type { TimeLimits } from '../../kernel/time-limits.js';
import { errorFields } from '../../observability/error-fields.js';
import type { Metrics } from '../../observability/metrics.js';
import type { ServiceLogger } from '../../observability/service-logger.js';
import { mcpAudiences } from '../mcp-resource.js';
import { DevelopmentIssuer } from './development-issuer.js';
import { IssuerFailure } from './issuer-failure.js';
import { NoIssuer } from './no-issuer.js';
import { KEY_SET_TIMES, RemoteIssuer } from './remote-issuer.js';
import type { TokenIssuer } from './token-issuer.js';

/**
 * Returns the issuer that the settings configure. Without one, it is the development
 * issuer, and in production `NoIssuer`: `IssuerStart` then stops the boot unless
 * `AssistantAuthenticator` was replaced. The keys of the issuer are not downloaded yet.
 */
export function configuredIssuer(
  settings: Settings,
  { keyDownloadMs }: TimeLimits,
  logger: ServiceLogger,
  metrics: Metrics,
): TokenIssuer {
  const { issuer } = settings;
  if (!issuer && settings.isProduction) return new NoIssuer();
  if (!issuer) return DevelopmentIssuer.open(undefined, mcpAudiences(settings));
  return new RemoteIssuer(issuer, { ...KEY_SET_TIMES, keyDownloadMs }, (failure) => {
    metrics.keySetDownloads.inc({ outcome: failure ? 'failure' : 'success' });
    if (failure) {
      const reason = failure instanceof IssuerFailure ? failure.reason : undefined;
      logger.warn({ msg: 'JWKS download failed', reason, ...errorFields(failure) });
    } else metrics.keySetDownloadedAt.setToCurrentTime();
  });
}
