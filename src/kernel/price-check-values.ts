/** Whether a dealership's offer is for the listed car. */
export type CarAnswer = 'same_car' | 'different_car';
/** Every answer of a dealership. */
export const CAR_ANSWERS = ['same_car', 'different_car'] as const satisfies readonly CarAnswer[];

/** The state of a row (contract, section 3.1). */
export type RowState = 'written' | 'waiting' | 'different_car' | 'ended';
/** Every state of a row. */
export const ROW_STATES = [
  'written',
  'waiting',
  'different_car',
  'ended',
] as const satisfies readonly RowState[];

/** How a price check ended. */
export type Ending = 'sold' | 'closed_with_price' | 'no_price' | 'timed_out';
/** Every way in which a price check ends. */
export const ENDINGS = [
  'sold',
  'closed_with_price',
  'no_price',
  'timed_out',
] as const satisfies readonly Ending[];
