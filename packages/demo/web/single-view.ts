import type { SingleEntry } from '@deal-sets/client';
import type { Comparison } from './compare.js';
import { el, type Child } from './dom.js';
import { ago, carName, dollars, plural, SECTION_NAMES } from './format.js';

/** A request to one dealership. The list is all there is of it: it has no result of its own. */
export function singleView(
  compare: Comparison,
  mine: SingleEntry,
  other: SingleEntry | undefined,
): Child {
  const { car, lowestWrittenOtdCents: price, latestActivityAt: latest } = mine;
  return [
    el(
      'section',
      { class: 'car block' },
      el('h3', {}, carName(car)),
      el(
        'p',
        { class: 'header-line' },
        compare.value(mine.dealerLabel, other?.dealerLabel) ?? 'The dealership is not named yet.',
      ),
      el(
        'dl',
        { class: 'facts' },
        fact('Trim', compare.value(car.trim, other?.car.trim)),
        fact('State', SECTION_NAMES[mine.section]),
        fact('Latest change', latest === null ? null : ago(latest)),
        fact('Needs you', mine.needsYou === 0 ? 'nothing' : plural(mine.needsYou, 'question')),
      ),
    ),
    el(
      'section',
      { class: 'hero block' },
      el('h4', {}, 'Price in writing, out the door'),
      price === null
        ? el('p', { class: 'empty' }, 'No price in writing yet.')
        : el('p', { class: 'price' }, dollars(price)),
    ),
  ];
}

const fact = (name: string, value: Child): Child =>
  value !== null && el('div', { class: 'fact' }, el('dt', {}, name), el('dd', {}, value));
