const wholeDollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});
const exactDollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** Formats cents as US dollars, without the cents if they are zero: `$39,870`. */
export function dollars(cents: number): string {
  return (cents % 100 === 0 ? wholeDollars : exactDollars).format(cents / 100);
}

/** Formats the difference in cents from the lowest price: `+$345`, or `lowest` for zero. */
export function gap(cents: number): string {
  return cents === 0 ? 'lowest' : `+${dollars(cents)}`;
}

/** Formats a distance in miles: `23.4 mi`. */
export function miles(value: number): string {
  return `${value.toLocaleString('en-US')} mi`;
}

const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Formats an ISO time relative to now: `3 hours ago`, or `just now` within a minute. */
export function ago(time: string, nowMs = Date.now()): string {
  const ms = Date.parse(time) - nowMs;
  for (const [unit, size] of UNITS) {
    if (Math.abs(ms) >= size) return relative.format(Math.round(ms / size), unit);
  }
  return 'just now';
}

/**
 * Returns the time of day of a UTC time from the API. The result includes the milliseconds, because
 * the poll depends on them.
 */
export function clock(time: string): string {
  return /T([\d:.]+)Z/.exec(time)?.[1] ?? time;
}

/** Joins the year, make and model that are present; `A car` if none is. */
export function carName(car: {
  readonly year: number | null;
  readonly make: string | null;
  readonly model: string | null;
}): string {
  return [car.year, car.make, car.model].filter((value) => value !== null).join(' ') || 'A car';
}

/** Joins a count and its noun: `1 reply`, `2 replies`. */
export function plural(count: number, singular: string, pluralForm = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : pluralForm}`;
}

/** The names that the page shows for the sections of the list. */
export const SECTION_NAMES = {
  ready: 'Ready',
  in_progress: 'In progress',
  inactive: 'Ended',
} as const;
