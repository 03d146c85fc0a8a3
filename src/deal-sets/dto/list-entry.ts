import { Described, ResponseDto, Shown, Withheld } from '../../redaction/field.decorators.js';
import { SECTIONS, type Section } from '../domain/row-state.js';
import { RequestedCar, Summary } from './deal-set-result.js';
import { COUNT, INTEGER, MILES, TEXT, TIME } from './field-types.js';
import { ASSISTANT_LABEL_NOTE } from './row.js';

const TEXTS = { type: 'text', isList: true } as const;
const LOWEST_WRITTEN =
  'The lowest written out-the-door price for the same car, US cents; null exactly when there is none. A price for a different car does not count. On a deal set: the lowest of the ranked rows; without one, of the ended rows for the same car; then of the archived rows for the same car. On a request to one dealership: its written price, also when the request has ended or is archived.';
const SET_SECTION =
  '`ready`: a dealership has finished and sent its offer, and its row has neither ended nor been archived and is not for a different car. `inactive`: the deal set itself has ended, and is off the buyer’s page. `in_progress`: otherwise, even if rows have a written price.';
const SINGLE_SECTION =
  '`ready`: the dealership has finished and sent its offer, and not for a different car. `inactive`: the request has ended or is archived, and is off the buyer’s page. `in_progress`: otherwise, even if it has a written price.';
const CHANGES = 'Present only on a `since` call of an assistant whose buyer was granted it.';

@ResponseDto('No reply arrived after the `since` of this call.')
export class NoReplies {
  @Shown(
    'No reply arrived after the `since` of this call. On a further page of a poll, that is the edge of the page before: a reply that arrived earlier is not counted.',
    { enum: ['none'] },
  )
  readonly status!: 'none';
}

@ResponseDto('Replies arrived after the `since` of this call. Their words are not included.')
export class NewReplies {
  @Shown('Replies arrived after the `since` of this call.', { enum: ['new'] })
  readonly status!: 'new';
  @Shown('The number of these replies.', { type: 'positive-count' }) readonly count!: number;
  @Shown(
    'When the newest of these replies arrived: the time at which the service recorded it. It is always after `since`, and a reply has the same time in every response.',
    { type: 'time' },
  )
  readonly latestAt!: string;
}

@ResponseDto('The replies could not be looked up just now.')
export class UncheckedReplies {
  @Shown('This does not mean that there are none.', { enum: ['could_not_check'] })
  readonly status!: 'could_not_check';
}

@ResponseDto('State of the request for a poll, without the words of any message.')
export class Changes {
  @Shown(
    'True exactly when `lowestWrittenOtdCents` is not null, regardless of when the price was given.',
  )
  readonly hasWrittenPrice!: boolean;
  @Shown('Replies that arrived after the `since` of this call.', {
    oneOf: { by: 'status', classes: () => [NoReplies, NewReplies, UncheckedReplies] },
  })
  readonly newReplies!: NoReplies | NewReplies | UncheckedReplies;
  @Shown(
    'True exactly when `section` is `inactive`, regardless of since when. An archived request to one dealership is inactive, too.',
  )
  readonly ended!: boolean;
}

@ResponseDto('A request to several dealerships.')
export class DealSetEntry {
  @Shown('Distinguishes a deal set from a request to one dealership.', { enum: ['deal_set'] })
  readonly kind!: 'deal_set';
  @Shown('Id of the deal set.', { type: 'uuid' }) readonly dealSetId!: string;
  @Shown('Display text: the deal set’s path on the website.') readonly href!: string;
  @Shown('The car the buyer asked for.', { type: () => RequestedCar }) readonly car!: RequestedCar;
  @Shown(SET_SECTION, { enum: SECTIONS })
  readonly section!: Section;
  @Shown(LOWEST_WRITTEN, INTEGER) readonly lowestWrittenOtdCents!: number | null;
  @Shown('How many items wait for the buyer; for a request to one dealership, 0 or 1.', COUNT)
  readonly needsYou!: number;
  @Shown('When the request changed last; null when unknown.', TIME)
  readonly latestActivityAt!: string | null;
  @Shown(CHANGES, { type: () => Changes, isOptional: true }) readonly changes?: Changes;
  @Withheld('The buyer’s search ZIP code.', TEXT) readonly buyerZip!: string | null;
  @Withheld('How many dealerships the search found.', COUNT) readonly dealerCount!: number | null;
  @Shown('How many rows are in each state.', { type: () => Summary }) readonly summary!: Summary;
  @Withheld(
    'Miles to the dealership of the lowest ranked price: the lower bound of its distance band until it is unlocked or chosen. Null when no row is ranked.',
    MILES,
  )
  readonly lowestWrittenDistanceMiles!: number | null;
  @Described(
    'Display text: the dealerships the buyer chose. Two entries can be the same.',
    ASSISTANT_LABEL_NOTE,
    TEXTS,
  )
  readonly chosenLabels!: readonly string[];
  @Shown('Opaque ids of the rows. Their order has no meaning.', TEXTS)
  readonly memberIds!: readonly string[];
}

@ResponseDto('The car as the dealership lists it.')
export class ListedCar {
  @Shown('Model year.', INTEGER) readonly year!: number | null;
  @Shown('Make.', TEXT) readonly make!: string | null;
  @Shown('Model.', TEXT) readonly model!: string | null;
  @Shown('Trim.', TEXT) readonly trim!: string | null;
}

@ResponseDto('A request to one dealership.')
export class SingleEntry {
  @Shown('Distinguishes a request to one dealership from a deal set.', { enum: ['single'] })
  readonly kind!: 'single';
  @Shown(
    'Id of this request. It is not a `dealSetId`: a request to one dealership has only its entry in the list.',
    { type: 'uuid' },
  )
  readonly id!: string;
  @Shown('The car as the dealership lists it.', { type: () => ListedCar }) readonly car!: ListedCar;
  @Described(
    'Display text. The dealership’s name once the buyer has unlocked or chosen it; null until then.',
    'For an assistant, it is always the car’s year, model and trim; null when none of them is known.',
    TEXT,
  )
  readonly dealerLabel!: string | null;
  @Shown(SINGLE_SECTION, { enum: SECTIONS })
  readonly section!: Section;
  @Shown(LOWEST_WRITTEN, INTEGER) readonly lowestWrittenOtdCents!: number | null;
  @Shown('How many items wait for the buyer; for a request to one dealership, 0 or 1.', COUNT)
  readonly needsYou!: number;
  @Shown('When the request changed last; null when unknown.', TIME)
  readonly latestActivityAt!: string | null;
  @Shown(CHANGES, { type: () => Changes, isOptional: true }) readonly changes?: Changes;
}

/** An entry of the list. `kind` distinguishes a deal set from a single request. */
export type ListEntry = DealSetEntry | SingleEntry;
