import type { ListEntry } from '@deal-sets/client';
import { dollars } from '@deal-sets/mcp-app/format.js';
import { button, el, type Child } from './dom.js';
import { carName, SECTION_NAMES } from './format.js';
import { entryId } from './side.js';

const ORDER = { ready: 0, in_progress: 1, inactive: 2 } as const;

/**
 * Sorts entries by section (ready, in progress, ended). Within a section, deal sets come before
 * requests to one dealership. Within each kind, newer activity comes before older activity.
 */
export function inOrder(entries: Iterable<ListEntry>): ListEntry[] {
  return [...entries].sort(
    (left, right) =>
      ORDER[left.section] - ORDER[right.section] ||
      Number(left.kind === 'single') - Number(right.kind === 'single') ||
      (right.latestActivityAt ?? '').localeCompare(left.latestActivityAt ?? ''),
  );
}

/** Draws the buyer's requests as buttons. The selected request is shown on both sides. */
export function requestsList(
  entries: readonly ListEntry[],
  selected: string | undefined,
  onSelect: (id: string) => void,
): Child {
  if (entries.length === 0) {
    return el(
      'p.empty',
      'No requests yet. When she asks dealerships for prices, they appear here.',
    );
  }
  return el(
    'ul.requests.scrolls',
    { 'data-key': 'requests' },
    entries.map((entry) => {
      const id = entryId(entry);
      const { needsYou, section, lowestWrittenOtdCents: price } = entry;
      return el(
        'li',
        button(
          [
            el('strong', carName({ ...entry.car, year: null })),
            el(
              'span.request-note',
              el('span', { class: `section ${section}` }, SECTION_NAMES[section]),
              price === null
                ? section === 'inactive'
                  ? ' · no price'
                  : ' · no price yet'
                : ` · ${dollars(price)}`,
              entry.kind === 'single' && ' · one dealership',
            ),
            needsYou > 0 && el('span.count', needsYou, el('span.hint', ' waiting for an answer')),
          ],
          () => onSelect(id),
          { 'aria-pressed': String(id === selected), 'data-key': `request-${id}` },
        ),
      );
    }),
  );
}
