import type { ListedFacts, PriceCheckFacts } from './facts.js';
import type { CarName, CarText, RequestedName, Texts } from './texts.js';

/** Returns the label of a listed car, or null when nothing about the listing is known. */
export function carLabel(texts: Texts, listing: ListedFacts): string | null {
  const car = carText(listing);
  return isUnknown(car) ? null : texts.car(car);
}

/** Returns the short label of a car, or null when nothing about it is known. */
export function shortCarLabel(texts: Texts, { year, model, trim }: CarName): string | null {
  const car = carText({ year, model, trim });
  return isUnknown(car) ? null : texts.shortCar(car);
}

/**
 * Returns the label of a row without a known listing: the requested car, unless the dealership
 * offers a different one.
 */
export function fallbackLabel(
  texts: Texts,
  { answer }: Pick<PriceCheckFacts, 'answer'>,
  { year, model }: RequestedName,
): string {
  return texts.requestedCar(carText(answer === 'different_car' ? {} : { year, model }));
}

function isUnknown(car: CarText): boolean {
  const hasName = car.year !== null || car.model || car.trim || car.exteriorColor;
  return !hasName && car.aboutMiles === null && car.listedAtCents === null;
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
/** Either of them. Almost no text matches, and one test costs less than two replacements. */
const SPECIAL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Removes characters of a listing that would affect the rest of the label. */
function inLine(text: string | null = null): string | null {
  if (text === null) return null;
  const line = SPECIAL.test(text) ? text.replace(DIRECTIONS, '').replace(BREAKS, ' ') : text;
  return line.trim();
}
