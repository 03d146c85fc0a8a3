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
   * The endpoints in the settings, otherwise those in the issuer's metadata. Undefined if neither
   * contains any, and until the metadata has been read.
   */
  get current(): AuthorizationEndpoints | undefined {
    return this.settings.authorizationEndpoints ?? this.issuer.authorizationEndpoints;
  }
}
