import { DisplayTexts, EnglishTexts, type Principal, type Texts } from '@deal-sets/service';
import { GermanTexts } from './german-texts.js';

const ENGLISH = new EnglishTexts();
const GERMAN = new GermanTexts();

/**
 * Chooses German or English texts by the locale of the buyer's market, which the website stores. If
 * the website has no locale for a buyer, the texts are in English.
 */
export class WebsiteLanguages extends DisplayTexts {
  constructor(private readonly baseUrl: string) {
    super();
  }

  override async forCaller({ buyerId }: Principal, signal: AbortSignal): Promise<Texts> {
    const response = await fetch(`${this.baseUrl}/locales/${buyerId}`, { signal });
    if (response.status === 404) return ENGLISH;
    if (!response.ok) throw new Error(`the website responded with ${response.status}`);
    const { locale } = (await response.json()) as { locale: string };
    return new Intl.Locale(locale).language === 'de' ? GERMAN : ENGLISH;
  }
}
