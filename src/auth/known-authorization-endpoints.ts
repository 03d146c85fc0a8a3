import { Injectable } from '@nestjs/common';
import { Settings, type AuthorizationEndpoints } from '../config/settings.js';
import { TokenIssuer } from './token-issuer.js';

/**
 * The endpoints at which an assistant's client obtains access tokens, for descriptions of the API.
 */
@Injectable()
export class KnownAuthorizationEndpoints {
  constructor(
    private readonly settings: Settings,
    private readonly issuer: TokenIssuer,
  ) {}

  /**
   * The endpoints in the settings, or those in the issuer's metadata if the settings contain none.
   * Undefined if neither contains any, or if the metadata has not been read yet.
   */
  get current(): AuthorizationEndpoints | undefined {
    return this.settings.authorizationEndpoints ?? this.issuer.authorizationEndpoints;
  }
}
