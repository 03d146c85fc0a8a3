import { Injectable } from '@nestjs/common';
import { Settings, type AuthorizationEndpoints } from '../config/settings.js';
import { TokenIssuer } from './token-issuer.js';

/** Where an assistant's client obtains access tokens, for descriptions of the API. */
@Injectable()
export class KnownAuthorizationEndpoints {
  constructor(
    private readonly settings: Settings,
    private readonly issuer: TokenIssuer,
  ) {}

  /**
   * Those of the settings, else those that the issuer's metadata names. Undefined where neither
   * does, and before the metadata was read.
   */
  get current(): AuthorizationEndpoints | undefined {
    return this.settings.authorizationEndpoints ?? this.issuer.authorizationEndpoints;
  }
}
