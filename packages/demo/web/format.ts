/** Formats a distance in miles: `23.4 mi`. */
export function miles(value: number): string {
  return `${value.toLocaleString('en-US')} mi`;
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
