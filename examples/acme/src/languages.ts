import {
  DisplayTexts,
  EnglishDisplayTexts,
  LocaleResolver,
  type CarName,
  type CarText,
  type Principal,
  type QuestionText,
  type RequestedName,
  type RowCounts,
  type RowStatus,
  type TextContext,
} from '@deal-sets/service';
import { GermanTexts } from './german-texts.js';

/**
 * Looks up the locale of the buyer's market on the website. If the website has no locale for a
 * buyer, the texts are in English.
 */
export class WebsiteLocales extends LocaleResolver {
  constructor(private readonly baseUrl: string) {
    super();
  }

  override async resolve({ buyerId }: Principal, signal: AbortSignal): Promise<string> {
    const response = await fetch(`${this.baseUrl}/locales/${buyerId}`, { signal });
    if (response.status === 404) return 'en-US';
    if (!response.ok) throw new Error(`the website responded with ${response.status}`);
    const { locale } = (await response.json()) as { locale: string };
    return locale;
  }
}

/** Composes the texts of a response in German for a German locale, and otherwise in English. */
export class TextsOfTwoMarkets extends DisplayTexts {
  readonly #english = new EnglishDisplayTexts();
  readonly #german = new GermanTexts();

  override car(car: CarText, context: TextContext): string {
    return this.#in(context).car(car, context);
  }

  override shortCar(car: CarName, context: TextContext): string {
    return this.#in(context).shortCar(car, context);
  }

  override requestedCar(car: RequestedName, context: TextContext): string {
    return this.#in(context).requestedCar(car, context);
  }

  override status(row: RowStatus, context: TextContext): string {
    return this.#in(context).status(row, context);
  }

  override questionHeading(question: QuestionText, context: TextContext): string {
    return this.#in(context).questionHeading(question, context);
  }

  override headerLine(counts: RowCounts, context: TextContext): string {
    return this.#in(context).headerLine(counts, context);
  }

  #in({ locale }: TextContext): DisplayTexts {
    return new Intl.Locale(locale).language === 'de' ? this.#german : this.#english;
  }
}
