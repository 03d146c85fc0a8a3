/** Whether a dealership's offer is for the listed car. */
export const CAR_ANSWERS = ['same_car', 'different_car'] as const;
/** One of `CAR_ANSWERS`. */
export type CarAnswer = (typeof CAR_ANSWERS)[number];

/** How a price check ended. */
export const ENDINGS = ['sold', 'closed_with_price', 'no_price', 'timed_out'] as const;
/** One of `ENDINGS`. */
export type Ending = (typeof ENDINGS)[number];
