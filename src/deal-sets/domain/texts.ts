import type { Ending, RowState } from '../../kernel/price-check-values.js';
import type { SummaryFacts } from './facts.js';

/**
 * A listed car as a display text may describe it; null where unknown or hidden from the principal.
 */
export interface CarText {
  readonly year: number | null;
  readonly model: string | null;
  readonly trim: string | null;
  readonly exteriorColor: string | null;
  /** Rounded to 100 miles: exact mileage is never sent. */
  readonly aboutMiles: number | null;
  /**
   * The list price in US cents. The text must identify it as a list price, because a list price is
   * not an offer.
   */
  readonly listedAtCents: number | null;
}

/** The parts of a listed car that a short name has. */
export type CarName = Pick<CarText, 'year' | 'model' | 'trim'>;

/** The parts of the car that the buyer requested. */
export type RequestedName = Pick<CarText, 'year' | 'model'>;

/** The state of a row, and how it ended; null while it has not ended. */
export interface RowStatus {
  readonly state: RowState;
  readonly ended: Ending | null;
}

/** The facts for the heading of a question. */
export interface QuestionText {
  /** The question's category. Further categories may be added. */
  readonly category: string;
  /** The label of the question's row, as the principal may see it. */
  readonly label: string;
}

/** How many rows of a deal set are in each state. */
export interface RowCounts extends SummaryFacts {
  /** The number of archived rows. The other counts do not include them. */
  readonly archived: number;
}

/**
 * The display texts of one caller. `EnglishTexts` can be extended. Wording may change within a
 * version.
 *
 * Guarantees of the service: a method receives only facts that the caller may know and that the
 * rules of the host application do not hide. The facts contain no characters that break a line or
 * change the text direction. Only `questionHeading` receives a dealership's name, as the label of a
 * row that the buyer has unlocked or chosen. Must never: depend on anything but the caller and its
 * arguments; block. A text is one line of 1 to 300 characters. When it fails: a method that throws
 * or returns anything but a text makes the response 500 `internal`.
 */
export interface Texts {
  /**
   * Returns the description of a row's car, for `label` or an element of `chosenLabels`. At least
   * one part of the car is known.
   *
   * Keep color, year, model and trim in this order. The service checks only in this order that the
   * words of neighboring parts do not form the dealership's name.
   */
  car(car: CarText): string;
  /**
   * Returns the short description of a car, for the `dealerLabel` of a single request. At least one
   * part of the car is known.
   */
  shortCar(car: CarName): string;
  /** Returns the label of a row whose listing is unknown: the car that the buyer requested. */
  requestedCar(car: RequestedName): string;
  /** Returns the `statusLabel` of a row. */
  status(row: RowStatus): string;
  /** Returns the `heading` of a question. Further categories may be added. */
  questionHeading(question: QuestionText): string;
  /** Returns the `headerLine` of a deal set. Only `archived` counts archived rows. */
  headerLine(counts: RowCounts): string;
  /** Returns the `href` of a deal set: its path on the website. */
  dealSetHref(dealSetId: string): string;
  /**
   * Returns the `priceCheckHref` of a row: its path on the website. The method is not called for a
   * row whose dealership is hidden, which has no path.
   */
  priceCheckHref(dealSetId: string, priceCheckId: string): string;
}
