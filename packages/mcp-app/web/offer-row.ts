import type { Row } from '@deal-sets/client';
import { el, type Child } from './dom.js';
import { dollars } from './format.js';
import type { Offer } from './offers.js';

/** The texts of a row. What they say depends on who reads them. */
export interface OfferTexts {
  readonly label: Child;
  /** Short facts in one line below the label. */
  readonly notes: readonly Child[];
}

/**
 * Draws an offer of the ranking: the label, the price out the door, how much more it costs than the
 * best offer, and a bar as long as this difference. Without differences there are no bars.
 */
export function offerRow(
  { otdCents, gapCents, share }: Offer,
  at: number,
  texts: OfferTexts,
): HTMLLIElement {
  return el(
    at === 0 ? 'li.offer.best' : 'li.offer',
    {},
    ...labelled(texts),
    el('p.offer-price', {}, dollars(otdCents), ' ', el('span', {}, gapText(gapCents, at))),
    share !== null && bar(share),
  );
}

/** Draws a row that is not ranked, with its price if there is one. */
export function otherRow({ otdCents }: Row, texts: OfferTexts): HTMLLIElement {
  return el(
    'li.offer',
    {},
    ...labelled(texts),
    otdCents !== null && el('p.offer-price', {}, dollars(otdCents)),
  );
}

function bar(share: number): HTMLElement {
  const length = el('div', {});
  length.style.width = `${(share * 100).toFixed(1)}%`;
  return el('div.bar', {}, length);
}

function labelled({ label, notes }: OfferTexts): Child[] {
  const shown = notes.filter((note) => note !== null && note !== false);
  return [
    el('p.offer-label', {}, label),
    el('p.offer-notes', {}, ...shown.flatMap((note, at) => (at === 0 ? [note] : [' · ', note]))),
  ];
}

function gapText(gapCents: number, at: number): string {
  if (gapCents > 0) return `+${dollars(gapCents)}`;
  return at === 0 ? 'best price' : 'the same price';
}
