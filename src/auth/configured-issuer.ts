import { mcpAudiences, type Settings } from '../config/settings.js';
import { errorFields } from '../observability/error-fields.js';
import type { Log } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import { DevelopmentIssuer } from './development-issuer.js';
import { IssuerFailure } from './issuer-failure.js';
import { RemoteIssuer } from './remote-issuer.js';
import type { TokenIssuer } from './token-issuer.js';

/**
 * Opens the issuer that the settings configure, or the development issuer if they configure none.
 * Each start logs which one is used, so that a forgotten setting is noticed.
 */
export function openConfiguredIssuer(settings: Settings, log: Log, metrics: Metrics): TokenIssuer {
  if (!settings.issuer) {
    const development = DevelopmentIssuer.open(undefined, mcpAudiences(settings));
    log.warn({ issuer: development.issuer }, 'development issuer in use: not for production');
    return development;
  }
  const { issuer, audiences, jwksUrl } = settings.issuer;
  const remote = new RemoteIssuer(issuer, audiences, jwksUrl, (failure) => {
    metrics.keySetDownloads.inc({ outcome: failure ? 'failure' : 'success' });
    if (failure) {
      const reason = failure instanceof IssuerFailure ? failure.reason : undefined;
      log.warn({ reason, ...errorFields(failure) }, 'JWKS download failed');
    } else metrics.keySetDownloadedAt.setToCurrentTime();
  });
  log.info({ issuer }, 'access token issuer');
  remote.warmUp();
  return remote;
}
