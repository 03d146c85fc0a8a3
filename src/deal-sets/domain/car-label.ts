import type { ListedFacts } from './facts.js';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

function aboutMiles(miles: number): string {
  const rounded = Math.round(miles / 100) * 100;
  return rounded === 0 ? 'under 100 miles' : `about ${grouped.format(rounded)} miles`;
}

function knownWords(...parts: readonly (string | number | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' ');
}

/**
 * Names a row by its car: "Silver 2024 Civic EX, about 12,300 miles, listed at $34,500". What is not
 * known is left out; the make is never said.
 *
 * @param fallback what to say when nothing is known.
 */
export function carDescription(listing: ListedFacts, fallback: string): string {
  const parts = [knownWords(listing.exteriorColor, listing.year, listing.model, listing.trim)];
  if (listing.mileage !== null) parts.push(aboutMiles(listing.mileage));
  if (listing.listedAtCents !== null) {
    parts.push(`listed at $${grouped.format(Math.round(listing.listedAtCents / 100))}`);
  }
  return parts.filter((part) => part !== '').join(', ') || fallback;
}

/** Names a single request by its car: year, model and trim; null when none is known. */
export function shortCarDescription(listing: ListedFacts): string | null {
  return knownWords(listing.year, listing.model, listing.trim) || null;
}

/** What stands for a car of which the listing tells nothing: the one that was asked for. */
export function requestedCarDescription(car: {
  readonly year: number;
  readonly model: string;
}): string {
  return knownWords(car.year, car.model) || 'Car';
}
