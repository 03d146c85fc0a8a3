import type { ListedFacts } from './facts.js';

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

/** An integer with commas: 12,300. Not with `Intl`, which takes ten times as long. */
export function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

// Marks that turn the direction of the text around them, and characters that break a line.
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
const UNFIT = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A part without line breaks and direction marks: the text of a listing must not change the rest of the label. */
function inLine(part: string | null): string | null {
  if (part === null || !UNFIT.test(part)) return part;
  return part.replace(DIRECTIONS, '').replace(BREAKS, ' ').trim();
}

/** The parts that are known, with something between them. */
export function joined(between: string, ...parts: readonly (string | number | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(between);
}

/**
 * Names a car by year, model and trim; empty when none is known.
 *
 * @param color in front; without a year between the two, the trim keeps the model's name.
 */
export function nameOf(
  { year, model, trim }: Pick<CarText, 'year' | 'model' | 'trim'>,
  color = '',
): string {
  // Parts that lie side by side were compared with names of dealerships as they are. Without a year between
  // them, a shorter trim would put words side by side that were not.
  const rest = color !== '' && year === null ? trim : withoutModel(trim, model);
  return joined(' ', color, year, model, rest);
}

/** The trim without the model's name before it: listings often repeat it there ("CR-V EX-L"). */
function withoutModel(trim: string | null, model: string | null): string | null {
  if (trim === null || model === null || model === '') return trim;
  const beginning = trim.slice(0, model.length);
  if (beginning.toLowerCase() !== model.toLowerCase()) return trim;
  const rest = trim.slice(model.length);
  return rest === '' || /^\s/.test(rest) ? rest.trim() : trim;
}

/** What a display text may know of a listing, in parts that break no line and turn no direction of writing. */
export function carText(car: ListedFacts): CarText {
  return {
    year: car.year,
    model: inLine(car.model),
    trim: inLine(car.trim),
    exteriorColor: inLine(car.exteriorColor),
    // Contract, changelog of 2026-10-13.
    aboutMiles: car.mileage === null ? null : Math.round(car.mileage / 100) * 100,
    listedAtCents: car.listedAtCents,
  };
}
