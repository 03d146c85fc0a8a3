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

/** Formats the difference in cents from the lowest price: `+$345`, or `lowest` for zero. */
export function gap(cents: number): string {
  return cents === 0 ? 'lowest' : `+${dollars(cents)}`;
}
