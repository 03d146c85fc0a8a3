import { carDescription, carText, shortCarDescription, type CarText } from './car-label.js';
import { headerLine, questionHeading, statusLabel } from './display-text.js';
import type { Ending } from '../../kernel/price-check-values.js';
import type { ListedFacts, RequestedCarFacts, SummaryFacts } from './facts.js';
import type { RowState } from './row-state.js';

/**
 * The display texts of the responses: a locale. The default is `EnglishTexts`, which a team may extend.
 *
 * Guarantees of the service: a text is given only facts that the principal may know, after a team's redaction rules,
 * without characters that break a line or turn the direction of writing. The name of a dealership reaches
 * `questionHeading` alone, as the label of a row that the buyer has unlocked or chosen.
 * Must never: depend on anything but its argument; block. A text is one line of 1 to 300 characters.
 * When it fails: 500 `internal`, nothing is sent.
 */
export abstract class Texts {
  /** `label`, `chosenLabels`: a row by its car, of which at least one part is known. */
  abstract car(car: CarText): string;
  /** `dealerLabel` of a single request, and a row in a heading; at least one part is known. */
  abstract shortCar(car: Pick<CarText, 'year' | 'model' | 'trim'>): string;
  /** A row of whose listing nothing is known, by the car that the buyer asked for. */
  abstract requestedCar(car: Pick<CarText, 'year' | 'model'>): string;
  /** `statusLabel`. */
  abstract status(row: { readonly state: RowState; readonly ended: Ending | null }): string;
  /** `heading`. The set of categories is open. */
  abstract questionHeading(question: { readonly category: string; readonly label: string }): string;
  /** `headerLine`. */
  abstract headerLine(counts: SummaryFacts & { readonly archived: number }): string;
}

/** The service's own texts. */
export class EnglishTexts extends Texts {
  override car(car: CarText): string {
    return carDescription(car);
  }

  override shortCar(car: Pick<CarText, 'year' | 'model' | 'trim'>): string {
    return shortCarDescription(car);
  }

  override requestedCar({ year, model }: Pick<CarText, 'year' | 'model'>): string {
    return shortCarDescription({ year, model, trim: null }) || 'Car';
  }

  override status(row: { readonly state: RowState; readonly ended: Ending | null }): string {
    return statusLabel(row.state, row.ended);
  }

  override questionHeading(question: {
    readonly category: string;
    readonly label: string;
  }): string {
    return questionHeading(question.category, question.label);
  }

  override headerLine(counts: SummaryFacts & { readonly archived: number }): string {
    return headerLine(counts, counts.archived);
  }
}

export const ENGLISH: Texts = new EnglishTexts();

/** The label of a row; `fallback` when nothing is known of its listing. */
export function carLabel(texts: Texts, listing: ListedFacts, fallback: string): string {
  const car = carText(listing);
  return isUnknown(car) ? fallback : texts.car(car);
}

/** The short label of a listing; null when nothing is known of it. */
export function shortCarLabel(
  texts: Texts,
  { year, model, trim }: Pick<ListedFacts, 'year' | 'model' | 'trim'>,
): string | null {
  const car = carText({ ...NOTHING, year, model, trim });
  return isUnknown(car) ? null : texts.shortCar(car);
}

/** The label of a car whose listing is unknown: the buyer's own words. */
export function requestedCarLabel(
  texts: Texts,
  { year, model }: Pick<RequestedCarFacts, 'year' | 'model'>,
): string {
  return texts.requestedCar(carText({ ...NOTHING, year, model }));
}

const NOTHING: ListedFacts = {
  year: null,
  model: null,
  trim: null,
  exteriorColor: null,
  mileage: null,
  listedAtCents: null,
};

function isUnknown(car: CarText): boolean {
  return Object.values(car).every((part) => part === null || part === '');
}
