import type { Ending } from '../../kernel/price-check-values.js';
import type { ListedFacts, PriceCheckFacts, SummaryFacts } from './facts.js';
import type { RowState } from './row-state.js';

/** A listed car as a display text may know it; null where unknown or hidden from the principal. */
export interface CarText {
  readonly year: number | null;
  readonly model: string | null;
  readonly trim: string | null;
  readonly exteriorColor: string | null;
  /** To the nearest 100: exact miles are never sent. */
  readonly aboutMiles: number | null;
  /** A list price is never an offer: say that it is one. */
  readonly listedAtCents: number | null;
}

type CarName = Pick<CarText, 'year' | 'model' | 'trim'>;
type RequestedName = Pick<CarText, 'year' | 'model'>;
type QuestionText = Readonly<Record<'category' | 'label', string>>;

/**
 * The display texts of the responses: a locale. `EnglishDisplayTexts` can be extended. Wording may change within a version.
 *
 * Guarantees of the service: a text is given only facts that the principal may know, after a team's redaction rules,
 * without characters that break a line or turn the direction of writing. The name of a dealership reaches
 * `questionHeading` alone, as the label of a row that the buyer has unlocked or chosen.
 * Must never: depend on anything but its argument; block. A text is one line of 1 to 300 characters.
 * When it fails: 500 `internal`, nothing is sent.
 */
export abstract class DisplayTexts {
  /** `label`, `chosenLabels`: a row by its car, of which at least one part is known. */
  abstract car(car: CarText): string;
  /** `dealerLabel` of a single request, and a row in a heading; at least one part is known. */
  abstract shortCar(car: CarName): string;
  /** A row of whose listing nothing is known, by the car that the buyer asked for. */
  abstract requestedCar(car: RequestedName): string;
  /** `statusLabel`. */
  abstract status(row: { readonly state: RowState; readonly ended: Ending | null }): string;
  /** `heading`. The set of categories is open. */
  abstract questionHeading(question: QuestionText): string;
  /** `headerLine`. Archived rows are in none of the other numbers. */
  abstract headerLine(counts: SummaryFacts & { readonly archived: number }): string;
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

/** The service's own texts. */
export class EnglishDisplayTexts extends DisplayTexts {
  /** "Silver 2024 Civic EX, about 12,300 miles, listed at $34,500". The make is never said. */
  override car(car: CarText): string {
    const { aboutMiles: miles, listedAtCents: cents } = car;
    const known =
      miles === 0 ? 'almost no miles' : miles && `about ${miles.toLocaleString('en-US')} miles`;
    const listed =
      cents === null ? null : `listed at $${Math.round(cents / 100).toLocaleString('en-US')}`;
    return joined(', ', nameOf(car, car.exteriorColor ?? ''), known, listed);
  }

  override shortCar(car: CarName): string {
    return nameOf(car);
  }

  override requestedCar({ year, model }: RequestedName): string {
    return nameOf({ year, model, trim: null }) || 'Car';
  }

  override status(row: { readonly state: RowState; readonly ended: Ending | null }): string {
    return STATUS[row.ended ?? row.state];
  }

  override questionHeading({ category, label }: QuestionText): string {
    const topic = TOPICS.get(category);
    return `A question${topic ? ` about ${topic}` : ''}: ${label}`;
  }

  override headerLine(counts: SummaryFacts & { readonly archived: number }): string {
    const { written, waiting, differentCar, ended, archived } = counts;
    const parts = [
      written > 0 && `${written} written ${written === 1 ? 'price' : 'prices'}`,
      waiting > 0 && `${waiting} without a written price yet`,
      differentCar > 0 && `${differentCar} for a different car`,
      ended > 0 && `${ended} ended`,
    ].filter((part) => part !== false);
    if (parts.length > 0) return parts.join(', ');
    return archived > 0 ? `${archived} archived` : 'No dealership has been asked yet';
  }
}

export const ENGLISH: DisplayTexts = new EnglishDisplayTexts();

export function carLabel(texts: DisplayTexts, listing: ListedFacts, fallback: string): string {
  const car = carText(listing);
  return isUnknown(car) ? fallback : texts.car(car);
}

export function shortCarLabel(texts: DisplayTexts, { year, model, trim }: CarName): string | null {
  const car = carText({ year, model, trim });
  return isUnknown(car) ? null : texts.shortCar(car);
}

/** Where nothing is known of a listing, the buyer's own words; but a different car is not the one she asked for. */
export function fallbackLabel(
  texts: DisplayTexts,
  { answer }: Pick<PriceCheckFacts, 'answer'>,
  { year, model }: RequestedName,
): string {
  return texts.requestedCar(carText(answer === 'different_car' ? {} : { year, model }));
}

function isUnknown(car: CarText): boolean {
  return Object.values(car).every((part) => part === null || part === '');
}

/** What a display text may know of a listing, in parts that break no line and turn no direction of writing. */
export function carText(car: Partial<ListedFacts>): CarText {
  return {
    year: car.year ?? null,
    model: inLine(car.model),
    trim: inLine(car.trim),
    exteriorColor: inLine(car.exteriorColor),
    // Contract, changelog of 2026-10-13.
    aboutMiles: typeof car.mileage === 'number' ? Math.round(car.mileage / 100) * 100 : null,
    listedAtCents: car.listedAtCents ?? null,
  };
}

const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/** The text of a listing must not change the rest of the label. */
function inLine(part?: string | null): string | null {
  return part?.replace(DIRECTIONS, '').replace(BREAKS, ' ').trim() ?? null;
}

function joined(between: string, ...parts: readonly (string | number | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(between);
}

function nameOf({ year, model, trim }: CarName, color = ''): string {
  // Parts that lie side by side were compared with names of dealerships as they are. Without a year between
  // them, a shorter trim would put words side by side that were not.
  const rest = color !== '' && year === null ? trim : withoutModel(trim, model);
  return joined(' ', color, year, model, rest);
}

/** The trim without the model's name before it: listings often repeat it there ("CR-V EX-L"). */
function withoutModel(trim: string | null, model: string | null): string | null {
  if (!trim || !model || !trim.toLowerCase().startsWith(model.toLowerCase())) return trim;
  const rest = trim.slice(model.length);
  return /^(\s|$)/.test(rest) ? rest.trim() : trim;
}
