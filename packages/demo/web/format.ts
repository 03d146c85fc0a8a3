const wholeDollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});
const exactDollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

export function dollars(cents: number): string {
  return (cents % 100 === 0 ? wholeDollars : exactDollars).format(cents / 100);
}

/** The difference to the lowest price: `+$345`. */
export function gap(cents: number): string {
  return cents === 0 ? 'lowest' : `+${dollars(cents)}`;
}

export function miles(value: number): string {
  return `${value.toLocaleString('en-US')} mi`;
}

const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `3 hours ago`; less than a minute is `just now`. */
export function ago(time: string, nowMs = Date.now()): string {
  const ms = Date.parse(time) - nowMs;
  for (const [unit, size] of UNITS) {
    if (Math.abs(ms) >= size) return relative.format(Math.round(ms / size), unit);
  }
  return 'just now';
}

/** Time of day of a UTC time of the API, with milliseconds, because the poll depends on them. */
export function clock(time: string): string {
  return /T([\d:.]+)Z/.exec(time)?.[1] ?? time;
}

export function carName(car: {
  readonly year: number | null;
  readonly make: string | null;
  readonly model: string | null;
}): string {
  return [car.year, car.make, car.model].filter((value) => value !== null).join(' ') || 'A car';
}

export function plural(count: number, singular: string, pluralForm = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : pluralForm}`;
}

export const SECTION_NAMES = {
  ready: 'Ready',
  in_progress: 'In progress',
  inactive: 'Ended',
} as const;
