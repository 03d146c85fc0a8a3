import type { RecordTypes } from '../../src/import/record-kinds.js';

/** An ending that the import takes beside this price: the given one, unless they contradict each other. */
export function endingBeside(
  price: RecordTypes['priceCheck']['price'],
  answer: string | null | undefined,
  ended: string | null | undefined,
): string | null | undefined {
  const isWritten = typeof price?.writtenAt === 'string';
  if (ended === 'closed_with_price' && !isWritten) return 'timed_out';
  if (ended === 'no_price' && isWritten && answer !== 'different_car') return 'sold';
  return ended;
}
