import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { DisplayTexts, responseTexts, type ResponseTexts } from './domain/display-texts.js';
import { LocaleResolver } from './locale-resolver.js';

/** The longest that a response waits for its locale, in milliseconds. */
const LIMIT_MS = 1000;

/** The display texts in the locale of a response. */
@Injectable()
export class LocalizedTexts {
  constructor(
    private readonly texts: DisplayTexts,
    private readonly locales: LocaleResolver,
  ) {}

  /**
   * Asks once for the locale.
   *
   * @throws {AppError} `internal` when there is no valid locale; the reason of the deadline's signal
   *   when the request has ended.
   */
  async forResponse(principal: Principal, { signal }: Deadline): Promise<ResponseTexts> {
    try {
      const tag: unknown = await withTimeLimit(LIMIT_MS, signal, (limit) =>
        this.locales.resolve(principal, limit),
      );
      const locale = canonicalLocale(tag);
      return responseTexts(this.texts, { locale, principalType: principal.type });
    } catch (cause) {
      signal.throwIfAborted();
      // Whatever was thrown: an `AppError` of the provider must not choose the response's status.
      throw new AppError('internal', { cause });
    }
  }
}

function canonicalLocale(tag: unknown): string {
  // `Intl.getCanonicalLocales` also accepts lists, and no value at all.
  const [locale] = typeof tag === 'string' ? Intl.getCanonicalLocales(tag) : [];
  if (locale === undefined) throw new TypeError('LocaleResolver returned no language tag');
  return locale;
}
