import { labelled } from './car-label-field.js';
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
  uuidList,
  type WireOf,
} from '../../response-shape/field.js';

export const SECTIONS = ['ready', 'in_progress', 'inactive'] as const;

const NoReplies = shape('NoReplies', 'No reply arrived after `since`.', {
  status: shown(oneWord('none'), 'No reply arrived after `since`.'),
});
const NewReplies = shape(
  'NewReplies',
  'Replies arrived after `since`. Their words are not included.',
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
  'State of the request for a poll, without the words of any message.',
  {
    hasWrittenPrice: shown(
      boolean,
      'True if the request has a written price, regardless of when it was given.',
    ),
    newReplies: shown(
      oneOf('status', [NoReplies, NewReplies, UncheckedReplies]),
      'Replies that arrived after `since`.',
    ),
    ended: shown(boolean, 'True if the request has ended, regardless of when.'),
  },
);
export type Changes = WireOf<typeof Changes>;

const sharedFields = {
  section: shown(oneWord(...SECTIONS), 'The section of the buyer’s page that lists the request.'),
  lowestWrittenOtdCents: shown(
    nullable(cents),
    'The lowest written out-the-door price, US cents; null exactly when no row has a written price. On a deal set: the lowest of the ranked rows; without one, of the ended rows for the same car; then of the archived rows for the same car; then of the rows for a different car. On a request to one dealership: its written price, also when the request has ended or is archived.',
  ),
  needsYou: shown(count, 'How many items wait for the buyer; on a single request 0 or 1.'),
  latestActivityAt: shown(nullable(time), 'When the request changed last; null when unknown.'),
  changes: optional(
    objectOf(Changes),
    'Only on a `since` call of an assistant whose buyer was granted it.',
  ),
};

export const DealSetEntry = shape('DealSetEntry', 'A request to several dealerships.', {
  kind: shown(oneWord('deal_set'), 'Distinguishes a deal set from a request to one dealership.'),
  dealSetId: shown(uuid, 'Id of the deal set.'),
  href: shown(text, 'Display text: the deal set’s path on the website.'),
  car: shown(objectOf(RequestedCar), 'The car the buyer asked for.'),
  ...sharedFields,
  buyerZip: withheld(text, 'The buyer’s search ZIP code.'),
  dealerCount: withheld(count, 'Dealerships the search found.'),
  summary: shown(objectOf(Summary), 'How many rows are in each state.'),
  lowestWrittenDistanceMiles: withheld(
    decimal,
    'Miles to the dealership of the lowest ranked price: the lower bound of its distance band until it is unlocked or chosen. Null when no row is ranked.',
  ),
  chosenLabels: labelled(
    listOf(text),
    'Display text: the dealerships the buyer chose. Two entries can read the same.',
  ),
  memberIds: shown(uuidList, 'Opaque ids of the members, in no meaningful order.'),
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
  kind: shown(oneWord('single'), 'Distinguishes a request to one dealership from a deal set.'),
  id: shown(uuid, 'Id of the price check; no deal-set id.'),
  car: shown(objectOf(ListedCar), 'The car as the dealership lists it.'),
  dealerLabel: described(
    nullable(text),
    'Display text. The dealership’s name once the buyer unlocked or chose it, null until then.',
    'For an assistant always the car (year, model, trim); null when none of them is known.',
  ),
  ...sharedFields,
});
export type SingleEntry = WireOf<typeof SingleEntry>;

export type ListEntry = DealSetEntry | SingleEntry;
/** The value of an element of the list. */
export const ListEntry = oneOf('kind', [DealSetEntry, SingleEntry]);
