import type { Ending, RowState } from '../../kernel/price-check-values.js';
import type {
  CarName,
  CarText,
  QuestionText,
  RequestedName,
  RowCounts,
  RowStatus,
  Texts,
} from './texts.js';

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

/** The default texts: American English, and the paths of the website in the contract. */
export class EnglishTexts implements Texts {
  /**
   * Returns a text such as "Silver 2024 Civic EX, about 12,300 miles, listed at $34,500". The text
   * omits the make.
   */
  car(car: CarText): string {
    const { aboutMiles: miles, listedAtCents: cents } = car;
    const known = miles === 0 ? 'almost no miles' : miles && `about ${withCommas(miles)} miles`;
    const listed = cents === null ? null : `listed at $${withCommas(Math.round(cents / 100))}`;
    return joinKnown(', ', nameOf(car, car.exteriorColor ?? ''), known, listed);
  }

  shortCar(car: CarName): string {
    return nameOf(car);
  }

  requestedCar({ year, model }: RequestedName): string {
    return nameOf({ year, model, trim: null }) || 'Car';
  }

  status(row: RowStatus): string {
    return STATUS[row.ended ?? row.state];
  }

  questionHeading({ category, label }: QuestionText): string {
    const topic = TOPICS.get(category);
    return `A question${topic ? ` about ${topic}` : ''}: ${label}`;
  }

  headerLine(counts: RowCounts): string {
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

  dealSetHref(dealSetId: string): string {
    return `/deal-sets/${dealSetId}`;
  }

  priceCheckHref(dealSetId: string, priceCheckId: string): string {
    return `/deal-sets/${dealSetId}/price-checks/${priceCheckId}`;
  }
}

/** The default texts of every caller. */
export const ENGLISH: Texts = new EnglishTexts();

/**
 * Formats a whole number with a comma before every three digits. `Intl.NumberFormat` takes ten times
 * as long, and each row of a response has up to two numbers.
 */
function withCommas(value: number): string {
  const digits = String(value);
  let text = digits.slice(0, digits.length % 3 || 3);
  for (let at = text.length; at < digits.length; at += 3) text += `,${digits.slice(at, at + 3)}`;
  return text;
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
