import { mcpAudiences, type Settings } from '../../config/settings.js';
import { errorFields } from '../../observability/error-fields.js';
import type { ServiceLogger } from '../../observability/service-logger.js';
import type { Metrics } from '../../observability/metrics.js';
import { DevelopmentIssuer } from './development-issuer.js';
import { IssuerFailure } from './issuer-failure.js';
import { RemoteIssuer } from './remote-issuer.js';
import type { TokenIssuer } from './token-issuer.js';

/**
 * Opens the issuer that the settings configure, or the development issuer if they configure none.
 * Each start logs which one is used and how many keys it has, so that a forgotten setting is
 * noticed.
 */
export function openConfiguredIssuer(
  settings: Settings,
  logger: ServiceLogger,
  metrics: Metrics,
): TokenIssuer {
  const { authorizationEndpoints } = settings;
  if (!settings.issuer) {
    const development = DevelopmentIssuer.open(
      undefined,
      mcpAudiences(settings),
      authorizationEndpoints,
    );
    logger.warn({
      msg: 'development issuer in use: not for production',
      issuer: development.issuer,
    });
    return development;
  }
  const remote = new RemoteIssuer({ ...settings.issuer, authorizationEndpoints }, (failure) => {
    metrics.keySetDownloads.inc({ outcome: failure ? 'failure' : 'success' });
    if (failure) {
      const reason = failure instanceof IssuerFailure ? failure.reason : undefined;
      logger.warn({ msg: 'JWKS download failed', reason, ...errorFields(failure) });
    } else metrics.keySetDownloadedAt.setToCurrentTime();
  });
  const { issuer } = remote;
  void remote.warmUp().then((keys) => {
    if (keys !== undefined) logger.log({ msg: 'access token issuer', issuer, keys });
    else logger.warn({ msg: 'access token issuer has no keys yet, tokens get 503', issuer });
  });
  return remote;
}
