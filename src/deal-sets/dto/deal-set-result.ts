import {
  Described,
  NeverTrue,
  ResponseDto,
  Shown,
  Withheld,
} from '../../redaction/field.decorators.js';
import { COUNT, INTEGER, MILES, TEXT } from './field-types.js';
import { ASSISTANT_LABEL_NOTE, Hero, Row } from './row.js';

const ROWS = { type: () => Row, isList: true } as const;

/**
 * The car that the buyer requested. An assistant gets only the year, the make and the model; the
 * configuration is withheld.
 */
@ResponseDto('The car the buyer asked for.')
export class RequestedCar {
  @Shown('Model year.') readonly year!: number;
  @Shown('Make.') readonly make!: string;
  @Shown('Model.') readonly model!: string;
  @Withheld('Trim of the configuration that the buyer asked for.', TEXT) readonly trim!:
    string | null;
  @Withheld('Exterior color of the configuration that the buyer asked for.', TEXT)
  readonly exteriorColor!: string | null;
  @Withheld('Interior color of the configuration that the buyer asked for.', TEXT)
  readonly interiorColor!: string | null;
  @Withheld('Drivetrain of the configuration that the buyer asked for.', TEXT)
  readonly drivetrain!: string | null;
  @Withheld('Powertrain of the configuration that the buyer asked for.', TEXT)
  readonly powertrain!: string | null;
}

@ResponseDto('Where the buyer searched.')
export class Search {
  @Withheld('The buyer’s search ZIP code.', TEXT) readonly buyerZip!: string | null;
  @Withheld('The search radius in miles; null when unknown.', MILES)
  readonly radiusMiles!: number | null;
}

@ResponseDto('How many rows are in each state; archived rows are not counted.')
export class Summary {
  @Shown('Ranked rows.', COUNT) readonly written!: number;
  @Shown('Rows without a written price yet.', COUNT) readonly waiting!: number;
  @Shown('Rows that answered for a different car.', COUNT) readonly differentCar!: number;
  @Shown('Rows whose thread has ended.', COUNT) readonly ended!: number;
  @Shown('Ended rows that have a price in writing, except rows for a different car.', COUNT)
  readonly endedWithPrice!: number;
  @Shown('Ended rows with the ending `closed_with_price`, except rows for a different car.', COUNT)
  readonly closedWithPrice!: number;
}

@ResponseDto('How many rows are in each state; archived rows are not counted.')
export class Counts extends Summary {
  @Shown('Items that wait for the buyer.', COUNT) readonly needsYou!: number;
  @Withheld('How many dealerships the search found.', COUNT) readonly total!: number | null;
}

@ResponseDto('Rows of one trim, lowest price first.')
export class RankedGroup {
  @Shown('Trim as the listings give it.', TEXT) readonly trim!: string | null;
  @Shown('Rows with a written price for the same car, lowest first.', ROWS)
  readonly rows!: readonly Row[];
}

@ResponseDto('The rows that are not ranked, by state.')
export class EveryoneElse {
  @Shown('No written price yet.', ROWS) readonly waiting!: readonly Row[];
  @Shown('Answered for a different car.', ROWS) readonly differentCar!: readonly Row[];
  @Shown('The thread has ended.', ROWS) readonly ended!: readonly Row[];
  @Shown('Archived rows, in any state.', ROWS) readonly archived!: readonly Row[];
}

@ResponseDto('A dealership’s question that waits for the buyer.')
export class QuestionItem {
  @Shown('Distinguishes a question from a draft.', { enum: ['question'] })
  readonly kind!: 'question';
  @Shown('The key of the row that it belongs to.') readonly rowKey!: string;
  @Described('Display text: the row’s label.', ASSISTANT_LABEL_NOTE) readonly label!: string;
  @Shown('Opaque id of the prompt, when there is one.', TEXT) readonly promptId!: string | null;
  @Shown('What the question is about; an open set of values.') readonly category!: string;
  @Described(
    'Display text: fixed words for the category, then the label.',
    'For an assistant the label is always the description of the car.',
  )
  readonly heading!: string;
  @Withheld(
    'Display text: the question in the dealership’s words. While the row is hidden, the text that the website has cleared for that time, or null without one: a client then shows the heading and the answer mode.',
    TEXT,
  )
  readonly question!: string | null;
  @Shown('How it can be answered; an open set of values.') readonly answerMode!: string;
  @Shown('The out-the-door price that the question refers to, US cents.', INTEGER)
  readonly otdCents!: number | null;
}

@ResponseDto('A reply that was drafted for the buyer and has not been sent.')
export class DraftItem {
  @Shown('Distinguishes a draft from a question.', { enum: ['draft'] }) readonly kind!: 'draft';
  @Shown('The key of the row that it belongs to.') readonly rowKey!: string;
  @Described('Display text: the row’s label.', ASSISTANT_LABEL_NOTE) readonly label!: string;
  @Shown('Opaque id of the draft.') readonly requestId!: string;
  @Withheld(
    'Display text: the beginning of the draft. While the row is hidden, the beginning of the text that the website has cleared for that time, or null without one.',
    TEXT,
  )
  readonly preview!: string | null;
  @NeverTrue(
    'True only when the preview is the whole draft. While the row is hidden, the cleared text must equal the draft.',
  )
  readonly previewComplete?: boolean;
}

/** An open question or draft. `kind` distinguishes the two. */
export type NeedsYouItem = QuestionItem | DraftItem;

@ResponseDto('One deal set with its ranked results.')
export class DealSetResult {
  @Shown('Id of the deal set.', { type: 'uuid' }) readonly dealSetId!: string;
  @Shown('The car the buyer asked for.', { type: () => RequestedCar }) readonly car!: RequestedCar;
  @Shown('Where the buyer searched.', { type: () => Search }) readonly search!: Search;
  @Shown('How many rows are in each state.', { type: () => Counts }) readonly counts!: Counts;
  @Withheld('Display text: a one-line summary.', TEXT) readonly headerLine!: string | null;
  @Shown('The lowest written price of all; null when nothing is ranked.', {
    type: () => Hero,
    isNullable: true,
  })
  readonly hero!: Hero | null;
  @Shown('Groups by trim, the group with the lowest price first.', {
    type: () => RankedGroup,
    isList: true,
  })
  readonly ranked!: readonly RankedGroup[];
  @Shown('Items that wait for the buyer, oldest first.', {
    oneOf: { by: 'kind', classes: () => [QuestionItem, DraftItem] },
    isList: true,
  })
  readonly needsYou!: readonly (QuestionItem | DraftItem)[];
  @Shown('The rows that are not ranked.', { type: () => EveryoneElse })
  readonly everyoneElse!: EveryoneElse;
}
