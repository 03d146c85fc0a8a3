import {
  count,
  decimal,
  integer,
  listOf,
  nullable,
  objectOf,
  oneOf,
  shape,
  shown,
  text,
  uuid,
  withheld,
  type WireOf,
} from '../../response-shape/field.js';
import { DraftItem, QuestionItem } from './needs-you-item.js';
import { Hero, Row } from './row.js';

/** The car the buyer asked for. What she did not choose herself is withheld from an assistant. */
export const RequestedCar = shape('RequestedCar', 'The car the buyer asked for.', {
  year: shown(integer, 'Model year.'),
  make: shown(text, 'Make.'),
  model: shown(text, 'Model.'),
  trim: withheld(text, 'Trim of the posted configuration.'),
  exteriorColor: withheld(text, 'Exterior colour of the posted configuration.'),
  interiorColor: withheld(text, 'Interior colour of the posted configuration.'),
  drivetrain: withheld(text, 'Drivetrain of the posted configuration.'),
  powertrain: withheld(text, 'Powertrain of the posted configuration.'),
});
export type RequestedCar = WireOf<typeof RequestedCar>;

export const Search = shape('Search', 'Where the buyer searched.', {
  buyerZip: withheld(text, 'The buyer’s search ZIP code.'),
  radiusMiles: withheld(decimal, 'The search radius in miles; null when unknown.'),
});
export type Search = WireOf<typeof Search>;

const summaryFields = {
  written: shown(count, 'Ranked rows.'),
  waiting: shown(count, 'Rows without a written price yet.'),
  differentCar: shown(count, 'Rows that answered for a different car.'),
  ended: shown(count, 'Rows whose thread has ended.'),
  endedWithPrice: shown(
    count,
    'Ended rows with a price in writing, or whose ending is `closed_with_price`.',
  ),
  closedWithPrice: shown(count, 'Ended rows whose ending is `closed_with_price`.'),
};

/** How many rows are in each state. Archived rows are in none of the numbers. */
export const Summary = shape(
  'Summary',
  'How many rows are in each state; archived rows are not counted.',
  summaryFields,
);
export type Summary = WireOf<typeof Summary>;

export const Counts = shape(
  'Counts',
  'How many rows are in each state; archived rows are not counted.',
  {
    ...summaryFields,
    needsYou: shown(count, 'Items that wait for the buyer.'),
    total: withheld(count, 'Dealerships the search found.'),
  },
);
export type Counts = WireOf<typeof Counts>;

export const RankedGroup = shape('RankedGroup', 'Rows of one trim, lowest price first.', {
  trim: shown(nullable(text), 'Trim as the listings give it.'),
  rows: shown(listOf(objectOf(Row)), 'Rows with a written price for the same car, lowest first.'),
});
export type RankedGroup = WireOf<typeof RankedGroup>;

export const EveryoneElse = shape('EveryoneElse', 'The rows that are not ranked, by state.', {
  waiting: shown(listOf(objectOf(Row)), 'No written price yet.'),
  differentCar: shown(listOf(objectOf(Row)), 'Answered for a different car.'),
  ended: shown(listOf(objectOf(Row)), 'The thread has ended.'),
  archived: shown(listOf(objectOf(Row)), 'Archived rows, in any state.'),
});
export type EveryoneElse = WireOf<typeof EveryoneElse>;

/** One deal set with its ranked results. */
export const DealSetResult = shape('DealSetResult', 'One deal set with its ranked results.', {
  dealSetId: shown(uuid, 'Id of the deal set.'),
  car: shown(objectOf(RequestedCar), 'The car the buyer asked for.'),
  search: shown(objectOf(Search), 'Where the buyer searched.'),
  counts: shown(objectOf(Counts), 'How many rows are in each state.'),
  headerLine: withheld(text, 'Display text: a one-line summary.'),
  hero: shown(
    nullable(objectOf(Hero)),
    'The lowest written price of all; null when nothing is ranked.',
  ),
  ranked: shown(
    listOf(objectOf(RankedGroup)),
    'Groups by trim, the group with the lowest price first.',
  ),
  needsYou: shown(
    listOf(oneOf('kind', [QuestionItem, DraftItem])),
    'Items that wait for the buyer, oldest first.',
  ),
  everyoneElse: shown(objectOf(EveryoneElse), 'The rows that are not ranked.'),
});
export type DealSetResult = WireOf<typeof DealSetResult>;
