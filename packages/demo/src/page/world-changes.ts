import { randomUUID } from 'node:crypto';
import type { ImportRecord } from '@deal-sets/service/operations';
import { firstNameOf } from '../sign-in/buyer-sessions.js';

type Of<Kind> = Extract<ImportRecord, { record: Kind }>;
type DealSet = Of<'dealSet'>;
type PriceCheck = Of<'priceCheck'>;

/** The records to import and a message, or the reason why the change is not possible. */
export type Outcome =
  { readonly records: readonly ImportRecord[]; readonly message: string } | string;

/**
 * Computes a change to a deal set that has not ended. `records` contains the latest version of each
 * record of the demo world; `now` is the ISO 8601 time of the change.
 */
export type Change = (set: DealSet, records: readonly ImportRecord[], now: string) => Outcome;

/** Returns the deal set's price checks that are neither ended nor archived. */
function openRows(set: DealSet, records: readonly ImportRecord[]): PriceCheck[] {
  return records.filter(
    (record): record is PriceCheck =>
      record.record === 'priceCheck' &&
      record.dealSetId === set.id &&
      !record.ended &&
      !record.archivedAt,
  );
}

const isRanked = ({ answer, price }: PriceCheck): boolean =>
  answer === 'same_car' && Boolean(price?.writtenAt);
const isWaiting = ({ answer, price }: PriceCheck): boolean =>
  answer !== 'different_car' && !price?.writtenAt;
const otdOf = ({ price }: PriceCheck): number => price?.otdCents ?? 0;
const byPrice = (left: PriceCheck, right: PriceCheck): number => otdOf(left) - otdOf(right);

const QUESTIONS = [
  ['delivery', 'We can bring the car to you on Saturday. Shall we?', 'yes_no'],
  ['financing', 'Will you finance with us, or pay cash?', 'choice'],
  ['trade_in', 'Do you have a car to trade in?', 'text'],
] as const;

/** A dealership replies. A dealership without an open question also asks one. */
export const reply: Change = (set, records, now) => {
  const asking = new Set(
    records.flatMap((record) =>
      record.record === 'question' && !record.answeredAt ? [record.priceCheckId] : [],
    ),
  );
  const rows = openRows(set, records);
  const row =
    rows.find((row) => isWaiting(row) && !asking.has(row.id)) ??
    rows.find(({ id }) => !asking.has(id)) ??
    rows[0];
  if (!row) return 'No dealership in this request can reply anymore.';
  const sent: ImportRecord = {
    record: 'reply',
    id: randomUUID(),
    priceCheckId: row.id,
  };
  if (asking.has(row.id)) {
    return {
      records: [sent],
      message: 'A dealership replied again. Its question is still open.',
    };
  }
  const [category, text, answerMode] =
    QUESTIONS[rows.indexOf(row) % QUESTIONS.length] ?? QUESTIONS[0];
  const question: ImportRecord = {
    record: 'question',
    // The id is derived from the price check's id, so that questions do not accumulate over demos.
    id: `f4${row.id.slice(2)}`,
    priceCheckId: row.id,
    category,
    text,
    // None of these texts names the dealership.
    textWhileHidden: text,
    answerMode,
    askedAt: now,
  };
  return { records: [sent, question], message: 'A dealership replied with a question.' };
};

const STEP_CENTS = 12_500;
const TAXES_CENTS = 320_000;

/**
 * A waiting dealership writes a price. If none is waiting, the highest offer becomes the lowest.
 */
export const price: Change = (set, records, now) => {
  const rows = openRows(set, records);
  const ranked = rows.filter(isRanked).sort(byPrice);
  const lowest = ranked[0];
  const waiting = rows.find(isWaiting);
  const row = waiting ?? (ranked.length > 1 ? ranked.at(-1) : undefined);
  if (!row) return 'No dealership in this request can send a price anymore.';
  const otdCents = lowest
    ? otdOf(lowest) - STEP_CENTS
    : (row.listing.listedAtCents ?? 4_000_000) + STEP_CENTS;
  const changed: PriceCheck = {
    ...row,
    answer: 'same_car',
    price: { otdCents, sellingPriceCents: otdCents - TAXES_CENTS, writtenAt: now },
  };
  const dollars = `$${Math.round(otdCents / 100).toLocaleString('en-US')}`;
  const message = waiting
    ? `A dealership put a price in writing: ${dollars} out the door.`
    : `The most expensive dealership lowered its price: ${dollars} out the door.`;
  return { records: [changed], message };
};

/** The buyer unlocks the dealership with the lowest price among those that are still hidden. */
export const unlock: Change = (set, records, now) => {
  const [row] = openRows(set, records)
    .filter((row) => isRanked(row) && !row.unlockedAt && !row.chosenAt)
    .sort(byPrice);
  if (!row) return 'Every dealership with a price is unlocked. “Start over” locks them again.';
  return {
    records: [{ ...row, unlockedAt: now }],
    message: `${firstNameOf(set.buyerId)} unlocked a dealership. Only she can see its name.`,
  };
};

/** The request ends. Polls receive it once more, as ended. */
export const end: Change = (set, _records, now) => ({
  records: [{ ...set, endedAt: now }],
  message: 'The request ended. The poll delivers it once more, as ended.',
});
