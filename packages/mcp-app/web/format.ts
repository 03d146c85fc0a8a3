const wholeDollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});
const exactDollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** Formats US cents: `$31,000`, or `$31,000.50` where there are cents. */
export function dollars(cents: number): string {
  return (cents % 100 === 0 ? wholeDollars : exactDollars).format(cents / 100);
}

/** Formats the difference to the lowest price: `+$345`. */
export function gap(cents: number): string {
  return cents === 0 ? 'lowest' : `+${dollars(cents)}`;
}
