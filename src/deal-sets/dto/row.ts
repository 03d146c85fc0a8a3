import { ENDINGS } from '../../kernel/price-check-values.js';
import { labelled } from './car-label-field.js';
import {
  boolean,
  cents,
  decimal,
  nullable,
  oneWord,
  shape,
  shown,
  text,
  time,
  unlessHosted,
  withheld,
  type WireOf,
} from '../../response-shape/field.js';

export const ROW_STATES = ['written', 'waiting', 'different_car', 'ended'] as const;
export const DISTANCE_BANDS = [
  'Under 10 miles',
  '10 to 25 miles',
  '25 to 50 miles',
  '50 to 100 miles',
  'Over 100 miles',
] as const;

const distanceMiles = withheld(
  decimal,
  'Miles to the dealership. Until it is unlocked or chosen, the lower bound of its distance band (0, 10, 25, 50 or 100).',
);
const distanceBand = withheld(oneWord(...DISTANCE_BANDS), 'The distance band.');
const label = labelled(
  text,
  'Display text. The dealership’s name once the buyer unlocked or chose it, else a description of the car. Two rows can read the same.',
);

/** One dealership's answer within a deal set. */
export const Row = shape('Row', 'One dealership’s answer within a deal set.', {
  rowKey: shown(text, 'Identifies the row; refer to a row by it, never by its label.'),
  label,
  hidden: shown(
    boolean,
    'The dealership is not named yet: the buyer neither unlocked nor chose it.',
  ),
  chosen: shown(boolean, 'The buyer chose this dealership.'),
  archived: shown(boolean, 'The buyer archived the row.'),
  state: shown(oneWord(...ROW_STATES), 'State of the dealership’s answer.'),
  ended: shown(nullable(oneWord(...ENDINGS)), 'How the thread ended; null while it has not.'),
  statusLabel: shown(text, 'Display text for the state.'),
  otdCents: shown(nullable(cents), 'Out-the-door price in writing, US cents.'),
  sellingPriceCents: shown(
    nullable(cents),
    'Selling price in writing, before taxes and fees, US cents.',
  ),
  listedAtCents: shown(nullable(cents), 'The listing’s list price, US cents; never an offer.'),
  writtenAt: shown(nullable(time), 'When the price was given in writing.'),
  gapToLowestCents: shown(
    nullable(cents),
    'Difference to the lowest price of the row’s own group (not of the deal set), US cents: 0 for that price itself, null on rows that are not ranked.',
  ),
  canChoose: shown(
    boolean,
    'The row may be chosen: unlocked, not chosen, priced in writing for the same car, not archived.',
  ),
  canUnlock: shown(
    boolean,
    'The row may be unlocked: hidden, priced in writing for the same car, not archived.',
  ),
  quotedTrim: shown(nullable(text), 'Trim as the listing gives it.'),
  distanceMiles,
  distanceBand,
  priceCheckHref: shown(
    nullable(text),
    'Path of the row on the website; null while the dealership is hidden.',
  ),
  isVerifiedPartner: unlessHosted(
    boolean,
    'True for a Verified partner: a dealership that subscribes to the service and has promised to keep its written price as long as the car is there and the buyer qualifies for the rebates, incentives and financing that the price includes. Show those conditions with it. False can also be a status that is not known yet, so it never means “not a partner”.',
  ),
});
export type Row = WireOf<typeof Row>;

/** The row with the lowest written price of all. */
export const Hero = shape('Hero', 'The row with the lowest written price of all.', {
  rowKey: shown(text, 'The row’s key.'),
  label,
  otdCents: shown(cents, 'Out-the-door price in writing, US cents.'),
  sellingPriceCents: shown(nullable(cents), 'Selling price in writing, US cents.'),
  taxesAndFeesCents: shown(
    nullable(cents),
    'Out-the-door price less selling price, US cents; null unless both are known and the difference is not negative.',
  ),
  listedAtCents: shown(nullable(cents), 'The listing’s list price, US cents.'),
  writtenAt: shown(nullable(time), 'When the price was given in writing.'),
  distanceMiles,
  distanceBand,
  trim: shown(nullable(text), 'Trim as the listing gives it.'),
  gapToNextCents: shown(
    nullable(cents),
    'Difference to the second lowest price of its group, US cents; null when the group has one row.',
  ),
  canChoose: shown(boolean, 'As on the row.'),
  canUnlock: shown(boolean, 'As on the row.'),
  chosen: shown(boolean, 'As on the row.'),
});
export type Hero = WireOf<typeof Hero>;
