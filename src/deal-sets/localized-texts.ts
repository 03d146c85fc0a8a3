import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { DisplayTexts, responseTexts, type ResponseTexts } from './domain/display-texts.js';
import { LocaleResolver } from './locale-resolver.js';

/** The longest time that a response waits for its locale, in milliseconds. */
const LIMIT_MS = 1000;

/** Provides the display texts in the locale of a response. */
@Injectable()
export class LocalizedTexts {
  constructor(
    private readonly texts: DisplayTexts,
    private readonly locales: LocaleResolver,
  ) {}

  /**
   * Resolves the locale once, and returns the texts of the response in that locale.
   *
   * @throws {AppError} `internal` when there is no valid locale; the reason of the deadline's
   *   signal when the request has ended.
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
      // Every error becomes `internal`: an `AppError` of the provider must not determine the
      // response's status.
      throw new AppError('internal', { cause });
    }
  }
}

function canonicalLocale(tag: unknown): string {
  // `Intl.getCanonicalLocales` also accepts lists and `undefined`.
  const [locale] = typeof tag === 'string' ? Intl.getCanonicalLocales(tag) : [];
  if (locale === undefined) throw new TypeError('LocaleResolver returned no language tag');
  return locale;
}
