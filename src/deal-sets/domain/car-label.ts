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

/** An integer of zero or more with commas: 12,300. Not with `Intl`, which takes ten times as long. */
function grouped(value: number): string {
  if (value < 1000) return String(value);
  const rest = value % 1000;
  return `${grouped((value - rest) / 1000)},${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}

/** Miles as a label may say them, to the nearest 100 (contract, changelog of 2026-10-13). */
export function aboutMiles(miles: number): number {
  return Math.round(miles / 100) * 100;
}

function milesText(rounded: number): string {
  return rounded === 0 ? 'almost no miles' : `about ${grouped(rounded)} miles`;
}

// Marks that turn the direction of the text around them, and characters that break a line.
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
const UNFIT = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A part without line breaks and direction marks: the text of a listing must not change the rest of the label. */
export function inLine(part: string | null): string | null {
  if (part === null || !UNFIT.test(part)) return part;
  return part.replace(DIRECTIONS, '').replace(BREAKS, ' ').trim();
}

/** Puts what is known behind what there is, with something between the two. */
function joined(text: string, between: string, part: string | number | null): string {
  if (part === null || part === '') return text;
  return text === '' ? String(part) : `${text}${between}${part}`;
}

function nameOf(
  { year, model, trim }: Pick<ListedFacts, 'year' | 'model' | 'trim'>,
  before = '',
): string {
  const name = inLine(model);
  const rest = inLine(trim);
  // Parts that lie side by side were compared with names of dealerships as they are. Without a year between
  // them, a shorter trim would put words side by side that were not.
  const isRepeatedKept = before !== '' && year === null;
  return joined(
    joined(joined(before, ' ', year), ' ', name),
    ' ',
    isRepeatedKept ? rest : withoutModel(rest, name),
  );
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
export function carText({ year, model, trim, exteriorColor, ...rest }: ListedFacts): CarText {
  return {
    year,
    model: inLine(model),
    trim: inLine(trim),
    exteriorColor: inLine(exteriorColor),
    aboutMiles: rest.mileage === null ? null : aboutMiles(rest.mileage),
    listedAtCents: rest.listedAtCents,
  };
}

/**
 * Names a row by its car: "Silver 2024 Civic EX, about 12,300 miles, listed at $34,500". What is not
 * known is left out; the make is never said. Empty when nothing is known.
 */
export function carDescription(car: CarText): string {
  let text = nameOf(car, car.exteriorColor ?? '');
  if (car.aboutMiles !== null) text = joined(text, ', ', milesText(car.aboutMiles));
  if (car.listedAtCents !== null) {
    const dollars = grouped(Math.round(car.listedAtCents / 100));
    text = joined(text, ', ', `listed at $${dollars}`);
  }
  return text;
}

/** Names a car by year, model and trim; empty when none is known. */
export function shortCarDescription(car: Pick<CarText, 'year' | 'model' | 'trim'>): string {
  return nameOf(car);
}
