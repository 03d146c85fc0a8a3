import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { mcpAudiences } from '../../config/mcp-address.js';
import { Settings } from '../../config/settings.js';
import { errorFields } from '../../observability/error-fields.js';
import { Log } from '../../observability/logger.js';
import { Metrics } from '../../observability/metrics.js';
import { AccessTokenVerifier, type AccessToken } from './access-token-verifier.js';
import { DevelopmentIssuer } from './development-issuer.js';
import { IssuerKeySet } from '../issuer-keys/issuer-key-set.js';
import { JwtAccessTokenVerifier } from './jwt-access-token-verifier.js';

/**
 * The default verifier: access tokens of the issuer in the settings, or of the local development issuer
 * when the settings name none.
 */
@Injectable()
export class ConfiguredTokenVerifier
  extends AccessTokenVerifier
  implements OnModuleInit, OnModuleDestroy
{
  readonly #keySet: IssuerKeySet | undefined;
  readonly #verifier: JwtAccessTokenVerifier;
  readonly #issuer: string;

  constructor(
    settings: Settings,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {
    super();
    if (settings.issuer) {
      this.#issuer = settings.issuer.issuer;
      this.#keySet = new IssuerKeySet(settings.issuer.jwksUrl, (failure) => this.#observe(failure));
      this.#verifier = new JwtAccessTokenVerifier(settings.issuer, this.#keySet);
    } else {
      const development = DevelopmentIssuer.open(undefined, mcpAudiences(settings));
      this.#issuer = development.issuer;
      this.#verifier = new JwtAccessTokenVerifier(development, development);
    }
  }

  override verify(token: string): Promise<AccessToken> {
    return this.#verifier.verify(token);
  }

  /** Logs which issuer is trusted: at each start, so that a forgotten setting is seen. */
  onModuleInit(): void {
    const issuer = this.#issuer;
    if (this.#keySet) this.log.info({ issuer }, 'access token issuer');
    else this.log.warn({ issuer }, 'development issuer in use: not for production');
    this.#keySet?.start();
  }

  onModuleDestroy(): void {
    this.#keySet?.stop();
  }

  #observe(failure: unknown): void {
    this.metrics.keySetDownloads.inc({ outcome: failure ? 'failure' : 'success' });
    if (failure) this.log.warn(errorFields(failure), 'JWKS download failed');
    else this.metrics.keySetDownloadedAt.setToCurrentTime();
  }
}
