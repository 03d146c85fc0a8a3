import { callHostCode } from '../../kernel/host-code.js';
import type { Ending } from '../../kernel/price-check-values.js';
import type { PrincipalType } from '../../kernel/principal.js';
import type { ListedFacts, PriceCheckFacts, SummaryFacts } from './facts.js';
import type { RowState } from './row-state.js';

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

/** The context of a response's texts. It is the same for all texts of one response. */
export interface TextContext {
  /** The locale that `LocaleResolver` chose: a BCP 47 tag in canonical form, such as `en-US`. */
  readonly locale: string;
  readonly principalType: PrincipalType;
}

/**
 * The display texts of the responses. `EnglishDisplayTexts` can be extended. Wording may change
 * within a version.
 *
 * Guarantees of the service: a method receives only facts that the principal may know and that the
 * host application's redaction rules do not hide. The facts contain no characters that break a line
 * or change the text direction. Only `questionHeading` receives a dealership's name, as the label
 * of a row that the buyer has unlocked or chosen.
 * Must never: depend on anything but its arguments; block. A text is one line of 1 to 300
 * characters.
 * When it fails: the response is 500 `internal`.
 */
export abstract class DisplayTexts {
  /**
   * Returns the description of a row's car, for `label` or an element of `chosenLabels`. At least
   * one part of the car is known.
   *
   * Keep color, year, model and trim in this order. The service checks only in this order that the
   * words of neighboring parts do not form the dealership's name.
   */
  abstract car(car: CarText, context: TextContext): string;
  /**
   * Returns the short description of a car, for the `dealerLabel` of a single request or a row's
   * label in a heading. At least one part of the car is known.
   */
  abstract shortCar(car: CarName, context: TextContext): string;
  /** Returns the label of a row whose listing is unknown: the car that the buyer requested. */
  abstract requestedCar(car: RequestedName, context: TextContext): string;
  /** Returns the `statusLabel` of a row. */
  abstract status(row: RowStatus, context: TextContext): string;
  /** Returns the `heading` of a question. Further categories may be added. */
  abstract questionHeading(question: QuestionText, context: TextContext): string;
  /** Returns the `headerLine` of a deal set. Only `archived` counts archived rows. */
  abstract headerLine(counts: RowCounts, context: TextContext): string;
}

const STATUS: Readonly<Record<RowState | Ending, string>> = {
  written: 'Price in writing',
  waiting: 'Waiting for a written price',
  different_car: 'Answered for a different car',
  ended: 'Closed',
  sold: 'The car was sold',
  closed_with_price: 'Ended with a written price',
  no_price: 'Closed without a price',
  timed_out: 'No answer in time',
};

const TOPICS: ReadonlyMap<string, string> = new Map([
  ['appointment', 'a visit'],
  ['availability', 'the car’s availability'],
  ['color', 'the color'],
  ['configuration', 'the configuration'],
  ['contact', 'how to reach you'],
  ['delivery', 'delivery'],
  ['financing', 'financing'],
  ['price', 'the price'],
  ['rebates', 'rebates'],
  ['timing', 'timing'],
  ['trade_in', 'a trade-in'],
  ['trim', 'the trim'],
]);

/** The default texts: American English in every locale, the same for every principal. */
export class EnglishDisplayTexts extends DisplayTexts {
  /**
   * Returns a text such as "Silver 2024 Civic EX, about 12,300 miles, listed at $34,500". The text
   * omits the make.
   */
  override car(car: CarText, _context: TextContext): string {
    const { aboutMiles: miles, listedAtCents: cents } = car;
    const known =
      miles === 0 ? 'almost no miles' : miles && `about ${miles.toLocaleString('en-US')} miles`;
    const listed =
      cents === null ? null : `listed at $${Math.round(cents / 100).toLocaleString('en-US')}`;
    return joinKnown(', ', nameOf(car, car.exteriorColor ?? ''), known, listed);
  }

  override shortCar(car: CarName, _context: TextContext): string {
    return nameOf(car);
  }

  override requestedCar({ year, model }: RequestedName, _context: TextContext): string {
    return nameOf({ year, model, trim: null }) || 'Car';
  }

  override status(row: RowStatus, _context: TextContext): string {
    return STATUS[row.ended ?? row.state];
  }

  override questionHeading({ category, label }: QuestionText, _context: TextContext): string {
    const topic = TOPICS.get(category);
    return `A question${topic ? ` about ${topic}` : ''}: ${label}`;
  }

  override headerLine(counts: RowCounts, _context: TextContext): string {
    const { written, waiting, differentCar, ended, archived } = counts;
    const counted = [
      written > 0 && `${written} written ${written === 1 ? 'price' : 'prices'}`,
      waiting > 0 && `${waiting} without a written price yet`,
      differentCar > 0 && `${differentCar} for a different car`,
      ended > 0 && `${ended} ended`,
    ].filter((count) => count !== false);
    if (counted.length > 0) return counted.join(', ');
    return archived > 0 ? `${archived} archived` : 'No dealership has been asked yet';
  }
}

/** The methods of `DisplayTexts`, bound to the context of one response. */
export type ResponseTexts = {
  readonly [Name in keyof DisplayTexts]: (facts: Parameters<DisplayTexts[Name]>[0]) => string;
};

/**
 * Binds the methods of `texts` to the context of one response. If a method throws, the error becomes
 * `internal`.
 */
export function responseTexts(
  texts: DisplayTexts,
  { locale, principalType }: TextContext,
): ResponseTexts {
  const context = Object.freeze<TextContext>({ locale, principalType });
  return {
    car: (car) => callHostCode(() => texts.car(car, context)),
    shortCar: (car) => callHostCode(() => texts.shortCar(car, context)),
    requestedCar: (car) => callHostCode(() => texts.requestedCar(car, context)),
    status: (row) => callHostCode(() => texts.status(row, context)),
    questionHeading: (question) => callHostCode(() => texts.questionHeading(question, context)),
    headerLine: (counts) => callHostCode(() => texts.headerLine(counts, context)),
  };
}

/** The default texts of a response, which do not depend on the principal. */
export const ENGLISH = responseTexts(new EnglishDisplayTexts(), {
  locale: 'en-US',
  principalType: 'session',
});

/** Returns the label of a listed car, or `fallback` when nothing about the listing is known. */
export function carLabel(texts: ResponseTexts, listing: ListedFacts, fallback: string): string {
  const car = carText(listing);
  return isUnknown(car) ? fallback : texts.car(car);
}

/** Returns the short label of a car, or null when nothing about it is known. */
export function shortCarLabel(texts: ResponseTexts, { year, model, trim }: CarName): string | null {
  const car = carText({ year, model, trim });
  return isUnknown(car) ? null : texts.shortCar(car);
}

/**
 * Returns the label of a row without a known listing: the requested car, unless the dealership
 * offers a different one.
 */
export function fallbackLabel(
  texts: ResponseTexts,
  { answer }: Pick<PriceCheckFacts, 'answer'>,
  { year, model }: RequestedName,
): string {
  return texts.requestedCar(carText(answer === 'different_car' ? {} : { year, model }));
}

function isUnknown(car: CarText): boolean {
  return Object.values(car).every((value) => value === null || value === '');
}

/**
 * Selects the facts of a listing that a display text may use, without characters that break a line
 * or change the text direction.
 */
export function carText(car: Partial<ListedFacts>): CarText {
  return {
    year: car.year ?? null,
    model: inLine(car.model),
    trim: inLine(car.trim),
    exteriorColor: inLine(car.exteriorColor),
    // Contract, changelog of 2026-10-13: mileage is rounded to 100.
    aboutMiles: typeof car.mileage === 'number' ? Math.round(car.mileage / 100) * 100 : null,
    listedAtCents: car.listedAtCents ?? null,
  };
}

const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/** Removes characters of a listing that would affect the rest of the label. */
function inLine(text?: string | null): string | null {
  return text?.replace(DIRECTIONS, '').replace(BREAKS, ' ').trim() ?? null;
}

function joinKnown(separator: string, ...values: readonly (string | number | null)[]): string {
  return values.filter((value) => value !== null && value !== '').join(separator);
}

function nameOf({ year, model, trim }: CarName, color = ''): string {
  // The adjacent parts of a listing, unshortened, were compared with dealership names. If no year
  // follows the color, a shortened trim would create a sequence of words that was not compared.
  const rest = color !== '' && year === null ? trim : withoutModel(trim, model);
  return joinKnown(' ', color, year, model, rest);
}

/**
 * Removes the model's name at the beginning of the trim, where listings often repeat it ("CR-V
 * EX-L").
 */
function withoutModel(trim: string | null, model: string | null): string | null {
  if (!trim || !model || !trim.toLowerCase().startsWith(model.toLowerCase())) return trim;
  const rest = trim.slice(model.length);
  return /^(\s|$)/.test(rest) ? rest.trim() : trim;
}
