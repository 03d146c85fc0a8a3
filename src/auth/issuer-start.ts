import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SettingsError } from '../config/check-settings.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { AssistantAuthenticator } from './bearer/assistant-authenticator.js';
import { JwtAuthenticator } from './bearer/jwt-authenticator.js';
import { NoIssuer } from './issuer/no-issuer.js';
import { RemoteIssuer } from './issuer/remote-issuer.js';
import { TokenIssuer } from './issuer/token-issuer.js';

const ISSUER_REQUIRED =
  'AUTH_ISSUER: expected to be set, with AUTH_AUDIENCE, unless NODE_ENV is unset, development or test (settings.issuer, unless settings.isProduction is false), or the application provides an AssistantAuthenticator';

/**
 * Downloads the issuer's keys at the start, so that the first access token does not wait for them,
 * and logs which issuer is used and how many keys it has, so that a forgotten setting is noticed.
 *
 * Where a host application has replaced `AssistantAuthenticator`, the keys are downloaded only if
 * the replacement passes a token on to `JwtAuthenticator`, and no issuer is required.
 */
@Injectable()
export class IssuerStart implements OnModuleInit {
  constructor(
    private readonly tokens: TokenIssuer,
    private readonly assistants: AssistantAuthenticator,
    private readonly logger: ServiceLogger,
  ) {}

  /** @throws {SettingsError} in production without an issuer. */
  onModuleInit(): void {
    const { issuer } = this.tokens;
    if (!(this.assistants instanceof JwtAuthenticator)) {
      this.logger.log({ msg: 'access tokens: decided by the provider of AssistantAuthenticator' });
    } else if (this.tokens instanceof NoIssuer) {
      throw new SettingsError([ISSUER_REQUIRED]);
    } else if (this.tokens instanceof RemoteIssuer) {
      void this.tokens.reload().then((keys) => {
        if (keys !== undefined) this.logger.log({ msg: 'access token issuer', issuer, keys });
        else
          this.logger.warn({ msg: 'access token issuer has no keys yet, tokens get 503', issuer });
      });
    } else {
      this.logger.warn({ msg: 'development issuer in use: not for production', issuer });
    }
  }
}
