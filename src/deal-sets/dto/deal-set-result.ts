import { ResponseDto, Shown, Withheld } from '../../redaction/field.decorators.js';
import { DraftItem, QuestionItem } from './needs-you-item.js';
import { Hero, Row } from './row.js';

/** The car the buyer asked for. What she did not choose herself is withheld from an assistant. */
@ResponseDto('The car the buyer asked for.')
export class RequestedCar {
  @Shown('Model year.')
  readonly year!: number;

  @Shown('Make.')
  readonly make!: string;

  @Shown('Model.')
  readonly model!: string;

  @Withheld('Trim of the posted configuration.', { type: 'text' })
  readonly trim!: string | null;

  @Withheld('Exterior colour of the posted configuration.', { type: 'text' })
  readonly exteriorColor!: string | null;

  @Withheld('Interior colour of the posted configuration.', { type: 'text' })
  readonly interiorColor!: string | null;

  @Withheld('Drivetrain of the posted configuration.', { type: 'text' })
  readonly drivetrain!: string | null;

  @Withheld('Powertrain of the posted configuration.', { type: 'text' })
  readonly powertrain!: string | null;
}

@ResponseDto('Where the buyer searched.')
export class Search {
  @Withheld('The buyer’s search ZIP code.', { type: 'text' })
  readonly buyerZip!: string | null;

  @Withheld('The search radius in miles; null when unknown.', { type: 'decimal' })
  readonly radiusMiles!: number | null;
}

/** How many rows are in each state. Archived rows are in none of the numbers. */
@ResponseDto('How many rows are in each state; archived rows are not counted.')
export class Summary {
  @Shown('Ranked rows.', { type: 'count' })
  readonly written!: number;

  @Shown('Rows without a written price yet.', { type: 'count' })
  readonly waiting!: number;

  @Shown('Rows that answered for a different car.', { type: 'count' })
  readonly differentCar!: number;

  @Shown('Rows whose thread has ended.', { type: 'count' })
  readonly ended!: number;

  @Shown('Ended rows with a price in writing, or whose ending is `closed_with_price`.', {
    type: 'count',
  })
  readonly endedWithPrice!: number;

  @Shown('Ended rows whose ending is `closed_with_price`.', { type: 'count' })
  readonly closedWithPrice!: number;
}

@ResponseDto('How many rows are in each state; archived rows are not counted.')
export class Counts extends Summary {
  @Shown('Items that wait for the buyer.', { type: 'count' })
  readonly needsYou!: number;

  @Withheld('Dealerships the search found.', { type: 'count' })
  readonly total!: number | null;
}

@ResponseDto('Rows of one trim, lowest price first.')
export class RankedGroup {
  @Shown('Trim as the listings give it.', { type: 'text', isNullable: true })
  readonly trim!: string | null;

  @Shown('Rows with a written price for the same car, lowest first.', {
    type: () => Row,
    isList: true,
  })
  readonly rows!: readonly Row[];
}

@ResponseDto('The rows that are not ranked, by state.')
export class EveryoneElse {
  @Shown('No written price yet.', { type: () => Row, isList: true })
  readonly waiting!: readonly Row[];

  @Shown('Answered for a different car.', { type: () => Row, isList: true })
  readonly differentCar!: readonly Row[];

  @Shown('The thread has ended.', { type: () => Row, isList: true })
  readonly ended!: readonly Row[];

  @Shown('Archived rows, in any state.', { type: () => Row, isList: true })
  readonly archived!: readonly Row[];
}

/** One deal set with its ranked results. */
@ResponseDto('One deal set with its ranked results.')
export class DealSetResult {
  @Shown('Id of the deal set.', { type: 'uuid' })
  readonly dealSetId!: string;

  @Shown('The car the buyer asked for.', { type: () => RequestedCar })
  readonly car!: RequestedCar;

  @Shown('Where the buyer searched.', { type: () => Search })
  readonly search!: Search;

  @Shown('How many rows are in each state.', { type: () => Counts })
  readonly counts!: Counts;

  @Withheld('Display text: a one-line summary.', { type: 'text' })
  readonly headerLine!: string | null;

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
    oneOf: { by: 'kind', of: () => [QuestionItem, DraftItem] },
    isList: true,
  })
  readonly needsYou!: readonly (QuestionItem | DraftItem)[];

  @Shown('The rows that are not ranked.', { type: () => EveryoneElse })
  readonly everyoneElse!: EveryoneElse;
}
