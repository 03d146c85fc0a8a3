const wholeDollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});
const exactDollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** Formats cents as US dollars, without the cents if they are zero: `$31,000`, `$31,000.50`. */
export function dollars(cents: number): string {
  return (cents % 100 === 0 ? wholeDollars : exactDollars).format(cents / 100);
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

const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['yes_no', 'yes or no'],
  ['choice', 'one of several choices'],
  ['text', 'in words'],
]);

/**
 * Names the kind of answer that a question asks for: `Answer: yes or no`. The set of modes is open,
 * so a mode that is not known here is shown as it is, with spaces.
 */
export function answerKind(answerMode: string): string {
  return `Answer: ${ANSWERS.get(answerMode) ?? answerMode.replaceAll('_', ' ')}`;
}

/** Formats the age of a price in writing: `written 3 hours ago`. */
export const writtenAgo = (time: string): string => `written ${ago(time)}`;
