import type { DealSetResult, NeedsYouItem } from '@deal-sets/client';
import { el } from './dom.js';
import { dollars } from './format.js';
import { offersTable } from './offers-table.js';

/**
 * Draws a deal set as an assistant may see it. Fields that are withheld from assistants are null in
 * the data and are not drawn.
 */
export function dealSetView({ car, needsYou, ranked, counts }: DealSetResult): HTMLElement[] {
  return [
    el('h1', {}, `${car.year} ${car.make} ${car.model}`),
    el('p.soft', {}, summary(counts)),
    ...(needsYou.length === 0
      ? []
      : [el('h2', {}, 'Needs you'), el('ul', {}, ...needsYou.map(needsYouItem))]),
    // Receives the focus when the focused button has been removed.
    el('h2', { id: 'offers', tabindex: '-1' }, 'Ranked offers'),
    ...(ranked.length === 0
      ? [el('p', {}, 'No dealership has put a price for this car in writing yet.')]
      : ranked.map(offersTable)),
  ];
}

function needsYouItem(item: NeedsYouItem): HTMLElement {
  if (item.kind === 'draft') return el('li', {}, `A draft is ready to send: ${item.label}`);
  const price = item.otdCents === null ? '' : `, about ${dollars(item.otdCents)} out the door`;
  return el('li', {}, item.heading + price);
}

/** Formats the number of rows by state: `4 in writing, 2 waiting`. */
function summary(counts: DealSetResult['counts']): string {
  const states = [
    `${counts.written} in writing`,
    counts.waiting > 0 && `${counts.waiting} waiting`,
    counts.differentCar > 0 && `${counts.differentCar} for a different car`,
    counts.ended > 0 && `${counts.ended} ended`,
  ];
  return states.filter((state) => state !== false).join(', ');
}
