import { RequestedCar, Summary } from './deal-set-result.js';
import {
  boolean,
  cents,
  count,
  decimal,
  described,
  integer,
  listOf,
  nullable,
  objectOf,
  oneOf,
  oneWord,
  optional,
  positiveCount,
  shape,
  shown,
  text,
  time,
  uuid,
  withheld,
  type WireOf,
} from './field.js';

export const SECTIONS = ['ready', 'in_progress', 'inactive'] as const;

const NoReplies = shape('NoReplies', 'No reply arrived after `since`.', {
  status: shown(oneWord('none'), 'No reply arrived after `since`.'),
});
const NewReplies = shape(
  'NewReplies',
  'Replies arrived after `since`. What they say is not told.',
  {
    status: shown(oneWord('new'), 'Replies arrived after `since`.'),
    count: shown(positiveCount, 'How many.'),
    latestAt: shown(time, 'When the service received the latest.'),
  },
);
const UncheckedReplies = shape('UncheckedReplies', 'The replies could not be looked up just now.', {
  status: shown(oneWord('could_not_check'), 'Not the same as none.'),
});

/** What changed in a request; for an assistant whose buyer was granted it, on a `since` call. */
export const Changes = shape(
  'Changes',
  'What a poll finds of the request, without what anyone said.',
  {
    hasWrittenPrice: shown(boolean, 'The request has a price in writing, since whenever.'),
    newReplies: shown(
      oneOf('status', [NoReplies, NewReplies, UncheckedReplies]),
      'Replies that arrived after `since`.',
    ),
    ended: shown(boolean, 'The request has ended, whenever that was.'),
  },
);
export type Changes = WireOf<typeof Changes>;

const sharedFields = {
  section: shown(oneWord(...SECTIONS), 'Where the request stands on the buyer’s page.'),
  lowestWrittenOtdCents: shown(
    nullable(cents),
    'The lowest out-the-door price in writing, US cents; null exactly when there is none.',
  ),
  needsYou: shown(count, 'How many items wait for the buyer; on a single request 0 or 1.'),
  latestActivityAt: shown(nullable(time), 'When the request changed last; null when unknown.'),
  changes: optional(
    objectOf(Changes),
    'Only on a `since` call of an assistant whose buyer was granted it.',
  ),
};

export const DealSetEntry = shape('DealSetEntry', 'A request to several dealerships.', {
  kind: shown(oneWord('deal_set'), 'Tells a deal set from a request to one dealership.'),
  dealSetId: shown(uuid, 'Id of the deal set.'),
  href: shown(text, 'Display text: the deal set’s path on the website.'),
  car: shown(objectOf(RequestedCar), 'The car the buyer asked for.'),
  ...sharedFields,
  buyerZip: withheld(text, 'The buyer’s search ZIP code.'),
  dealerCount: withheld(count, 'Dealerships the search found.'),
  summary: shown(objectOf(Summary), 'How many rows stand where.'),
  lowestWrittenDistanceMiles: withheld(
    decimal,
    'Miles to the dealership with the lowest price: the lower bound of its distance band until it is unlocked or chosen.',
  ),
  chosenLabels: described(
    listOf(text),
    'Display text: the dealerships the buyer chose. Two entries can read the same.',
  ),
  memberIds: shown(listOf(text), 'Opaque ids of the members, in no telling order.'),
});
export type DealSetEntry = WireOf<typeof DealSetEntry>;

export const ListedCar = shape('ListedCar', 'The car as the dealership lists it.', {
  year: shown(nullable(integer), 'Model year.'),
  make: shown(nullable(text), 'Make.'),
  model: shown(nullable(text), 'Model.'),
  trim: shown(nullable(text), 'Trim.'),
});
export type ListedCar = WireOf<typeof ListedCar>;

export const SingleEntry = shape('SingleEntry', 'A request to one dealership.', {
  kind: shown(oneWord('single'), 'Tells a request to one dealership from a deal set.'),
  id: shown(uuid, 'Id of the price check; no deal-set id.'),
  car: shown(objectOf(ListedCar), 'The car as the dealership lists it.'),
  dealerLabel: described(
    nullable(text),
    'Display text: the dealership’s name, null until the buyer has seen it; for an assistant the car (year, model, trim).',
  ),
  ...sharedFields,
});
export type SingleEntry = WireOf<typeof SingleEntry>;

export type ListEntry = DealSetEntry | SingleEntry;
/** The value of an element of the list. */
export const ListEntry = oneOf('kind', [DealSetEntry, SingleEntry]);
