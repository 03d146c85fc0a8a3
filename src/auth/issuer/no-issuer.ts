import type { KeyObject } from 'node:crypto';
import { RFC_9068 } from '../../config/settings-table.js';
import { TokenIssuer } from './token-issuer.js';

/** No issuer: no token can be valid, because there is no audience. */
export class NoIssuer extends TokenIssuer {
  readonly issuer = 'urn:deal-sets:no-issuer';
  readonly audiences = [];
  readonly format = RFC_9068;

  override findKey(): Promise<KeyObject | undefined> {
    return Promise.resolve(undefined);
  }
}
