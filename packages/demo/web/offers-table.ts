import type { Row } from '@deal-sets/client';
import { dollars, gap, writtenAgo } from '@deal-sets/mcp-app/format.js';
import { PARTNER_CONDITIONS } from '@deal-sets/mcp-app/partner-conditions.js';
import type { Changes } from './changes.js';
import type { Comparison } from './compare.js';
import { el, type Child } from './dom.js';
import { miles } from './format.js';

/** The content of a table of offers. */
export interface OffersTable {
  readonly caption: string;
  readonly rows: readonly Row[];
  /** The other side's rows by row key. */
  readonly others: ReadonlyMap<string, Row>;
  readonly changes: Changes;
  readonly isRanked: boolean;
}

interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row, other: Row | undefined, index: number) => Child;
}

/** Draws a table of offers. On a narrow screen the style sheet turns each row into a card. */
export function offersTable(compare: Comparison, table: OffersTable): HTMLElement {
  const columns = columnsOf(compare, table.isRanked);
  const rows = table.rows.map((row, index) => ({
    row,
    cells: columns.map(({ cell }) =>
      el('div', cell(row, table.others.get(row.rowKey), index) ?? el('span.none', '–')),
    ),
  }));
  /**
   * Whether both sides received the same values, by column. "Show only differences" hides such a
   * column.
   */
  const isSame = columns.map((_, at) =>
    rows.every(({ cells }) => !cells[at]?.querySelector('.differs')),
  );
  const classOf = (at: number): string =>
    [columns[at]?.isNumber === true && 'number', at > 0 && isSame[at] === true && 'same']
      .filter((name) => name !== false)
      .join(' ');
  return el(
    'table',
    { role: 'table', class: table.isRanked && 'ranked' },
    el('caption', table.caption),
    el(
      'thead',
      { role: 'rowgroup' },
      el(
        'tr',
        { role: 'row' },
        columns.map(({ name }, at) =>
          el('th', { scope: 'col', role: 'columnheader', class: classOf(at) }, name),
        ),
      ),
    ),
    el(
      'tbody',
      { role: 'rowgroup' },
      rows.map(({ row, cells }) =>
        table.changes.mark(
          el(
            'tr',
            { role: 'row' },
            cells.map((content, at) =>
              el(
                at === 0 ? 'th' : 'td',
                {
                  role: at === 0 ? 'rowheader' : 'cell',
                  scope: at === 0 && 'row',
                  class: classOf(at),
                  'data-column': columns[at]?.name,
                },
                [...content.childNodes],
              ),
            ),
          ),
          row.rowKey,
        ),
      ),
    ),
  );
}

function columnsOf(compare: Comparison, isRanked: boolean): readonly Column[] {
  const offer: Column = {
    name: isRanked ? 'Offer' : 'Dealership',
    cell: (row, other, index) => [
      el(
        'div.offer-cell',
        el('span.rank', `${index + 1}`),
        el(
          'span.offer',
          el('span.label', compare.value(row.label, other?.label)),
          badges(compare, row, other),
          row.writtenAt !== null && el('span.note.written', writtenAgo(row.writtenAt)),
        ),
      ),
    ],
  };
  const number = (name: string, cell: Column['cell']): Column => ({ name, cell, isNumber: true });
  const price = number('Out the door', ({ otdCents, gapToLowestCents }, other) =>
    el(
      'span.prices',
      el('strong', compare.value(otdCents, other?.otdCents, dollars) ?? '–'),
      isRanked && gapToLowestCents !== null && el('span.gap', gap(gapToLowestCents)),
    ),
  );
  const listed = number('List price', ({ listedAtCents }, other) =>
    compare.value(listedAtCents, other?.listedAtCents, dollars),
  );
  const distance = number('Distance', (row, other) =>
    row.hidden
      ? compare.value(row.distanceBand, other?.distanceBand)
      : compare.value(row.distanceMiles, other?.distanceMiles, miles),
  );
  const status: Column = { name: 'Status', cell: ({ statusLabel }) => statusLabel };
  return isRanked ? [offer, price, listed, distance] : [offer, status, price, listed, distance];
}

/** Draws the conditions below tables of which a row has the flag of a Verified partner. */
export function partnerConditions(rows: readonly Row[]): Child {
  const isNeeded = rows.some(({ isVerifiedPartner }) => isVerifiedPartner === true);
  return isNeeded && el('p.conditions', PARTNER_CONDITIONS);
}

/**
 * Draws the badges of a row. A false partner flag is not shown, because it may also mean that the
 * status is not known yet.
 */
function badges(compare: Comparison, row: Row, other: Row | undefined): Child {
  return [
    row.chosen && el('span.badge.good', 'chosen'),
    !row.chosen && !row.hidden && el('span.badge', 'unlocked'),
    row.isVerifiedPartner === true &&
      el(
        'span.badge.good',
        compare.value(row.isVerifiedPartner, other?.isVerifiedPartner, () => 'Verified partner'),
        '*',
      ),
  ];
}
