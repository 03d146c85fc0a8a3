import type { RankedGroup, Row } from '@deal-sets/client';
import { el, type Child } from './dom.js';
import { dollars, gap, writtenAgo } from './format.js';

interface Column {
  readonly name: string;
  readonly cell: (row: Row) => readonly Child[];
}

const PRICES: readonly Column[] = [
  {
    name: 'Out the door',
    cell: ({ otdCents, gapToLowestCents }) => [
      otdCents !== null && el('strong', {}, dollars(otdCents)),
      gapToLowestCents !== null && el('span.note', {}, gap(gapToLowestCents)),
    ],
  },
  {
    name: 'List price',
    cell: ({ listedAtCents }) => [listedAtCents === null ? '–' : dollars(listedAtCents)],
  },
];

/**
 * Draws the offers of one trim in the given order. All tables have the same columns, so that the
 * prices of different trims stand below each other.
 */
export function offersTable({ trim, rows }: RankedGroup): HTMLElement {
  const headings = PRICES.map(({ name }) => el('th.number', { scope: 'col' }, name));
  return el(
    'table',
    {},
    el('caption', {}, trim ?? 'Unknown trim'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Offer'), ...headings)),
    el(
      'tbody',
      {},
      ...rows.map((row) => {
        const cells = PRICES.map(({ cell }) => el('td.number', {}, ...cell(row)));
        return el('tr', {}, el('th', { scope: 'row' }, ...offer(row)), ...cells);
      }),
    ),
  );
}

function offer({ label, writtenAt, chosen, isVerifiedPartner }: Row): readonly Child[] {
  return [
    label,
    chosen && ' ',
    chosen && el('span.badge', {}, 'chosen'),
    isVerifiedPartner === true && ' ',
    isVerifiedPartner === true && el('span.badge', {}, 'Verified partner*'),
    writtenAt !== null && el('span.note', {}, writtenAgo(writtenAt)),
  ];
}
