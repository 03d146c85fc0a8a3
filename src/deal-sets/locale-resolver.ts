import { Injectable } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';

/**
 * Decides the locale of the display texts of a response. The default is `UsEnglishLocale`. The
 * service itself negotiates no language: `Accept-Language` changes no response.
 *
 * Guarantees of the service: `resolve` is called once for each list and each deal set that is read,
 * whether by REST, by MCP or by `DealSetsApi`.
 * When it fails: the response is 500 `internal`. A call also fails if it takes more than a second
 * or does not return a valid tag.
 */
export abstract class LocaleResolver {
  /**
   * Returns the locale for a caller.
   *
   * @param signal aborted when the call is abandoned.
   * @returns a BCP 47 language tag that `Intl.getCanonicalLocales` accepts, such as `de-DE`.
   */
  abstract resolve(principal: Principal, signal: AbortSignal): Promise<string> | string;
}

/** The default: `en-US` for every caller. */
@Injectable()
export class UsEnglishLocale extends LocaleResolver {
  override resolve(): string {
    return 'en-US';
  }
}
