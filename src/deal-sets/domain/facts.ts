/**
 * What the rules work on: the facts of a request as one reader may know them. For an assistant the
 * fields marked "session" were never read and are null.
 *
 * Times are ISO 8601 in UTC with three decimals; money is US cents; distances are miles.
 */

export type Answer = 'same_car' | 'different_car';
export type Ending = 'sold' | 'closed_with_price' | 'no_price' | 'timed_out';

/** A listing's parts as they may be shown; null where unknown. */
export interface ListedFacts {
  readonly year: number | null;
  readonly model: string | null;
  readonly trim: string | null;
  readonly exteriorColor: string | null;
  readonly mileage: number | null;
  readonly listedAtCents: number | null;
}

/** What was asked of one dealership, and what came back. */
export interface PriceCheckFacts {
  readonly id: string;
  readonly listing: ListedFacts;
  readonly answer: Answer | null;
  readonly otdCents: number | null;
  readonly sellingPriceCents: number | null;
  /** Null: the price is not in writing, and is not shown. */
  readonly writtenAt: string | null;
  readonly ended: Ending | null;
  /** The buyer unlocked or chose the dealership. */
  readonly isSeen: boolean;
  readonly isChosen: boolean;
  readonly isArchived: boolean;
  readonly isVerifiedPartner: boolean;
  /** Session. */
  readonly distanceMiles: number | null;
  /** Session, once the dealership is seen. */
  readonly dealershipName: string | null;
}

/** A question or a draft that waits for the buyer. */
export type OpenItemFacts = QuestionFacts | DraftFacts;

export interface QuestionFacts {
  readonly kind: 'question';
  readonly id: string;
  readonly priceCheckId: string;
  readonly promptId: string | null;
  readonly category: string;
  readonly answerMode: string;
  readonly otdCents: number | null;
  /** Session. While the row is hidden, without the words that identify a dealership. */
  readonly text: string | null;
}

export interface DraftFacts {
  readonly kind: 'draft';
  readonly id: string;
  readonly priceCheckId: string;
  /**
   * Session: the body's beginning, at least as much as a preview shows. While the row is hidden, without the
   * words that identify a dealership.
   */
  readonly opening: string | null;
  /** The body goes on after the opening. */
  readonly hasMore: boolean;
  /** Session: whether words of the body were replaced. */
  readonly isMasked?: boolean;
}

/** The car the buyer asked for. */
export interface RequestedCarFacts {
  readonly year: number;
  readonly make: string;
  readonly model: string;
  /** Whether year, make and model carry an identifier of a dealership: then no label repeats them. */
  readonly namesDealership?: boolean;
  /** Session, as are all below. */
  readonly trim: string | null;
  readonly exteriorColor: string | null;
  readonly interiorColor: string | null;
  readonly drivetrain: string | null;
  readonly powertrain: string | null;
}

/** A deal set with all its members. */
export interface DealSetFacts {
  readonly id: string;
  readonly car: RequestedCarFacts;
  /** Session, as are the next two. */
  readonly buyerZip: string | null;
  readonly radiusMiles: number | null;
  readonly dealersFound: number | null;
  readonly priceChecks: readonly PriceCheckFacts[];
  /** The oldest first. */
  readonly openItems: readonly OpenItemFacts[];
}

/** How many rows stand where; archived rows are in none of the numbers. */
export interface SummaryFacts {
  readonly written: number;
  readonly waiting: number;
  readonly differentCar: number;
  readonly ended: number;
  readonly endedWithPrice: number;
  readonly closedWithPrice: number;
}

/** A chosen dealership, as far as its label needs it. */
export interface ChosenFacts extends ListedFacts {
  readonly dealershipName: string | null;
}

/** A deal set as the list shows it. */
export interface DealSetSummaryFacts {
  readonly kind: 'deal_set';
  readonly id: string;
  readonly car: RequestedCarFacts;
  readonly buyerZip: string | null;
  readonly dealersFound: number | null;
  readonly hasEnded: boolean;
  /** The dealership of a row that is neither archived nor ended has finished. */
  readonly hasFinished: boolean;
  readonly summary: SummaryFacts;
  readonly lowestWrittenOtdCents: number | null;
  /** Session: exact distance of the row with the lowest price, and whether its dealership is seen. */
  readonly lowestWrittenDistanceMiles: number | null;
  readonly isLowestWrittenSeen: boolean;
  readonly chosen: readonly ChosenFacts[];
  readonly memberIds: readonly string[];
  readonly openItemCount: number;
  readonly latestActivityAt: string | null;
}

/** A request to one dealership as the list shows it. */
export interface SingleFacts {
  readonly kind: 'single';
  readonly id: string;
  readonly make: string | null;
  readonly listing: ListedFacts;
  readonly otdCents: number | null;
  readonly writtenAt: string | null;
  readonly hasFinished: boolean;
  readonly hasEnded: boolean;
  readonly isArchived: boolean;
  /** Session, once the dealership is seen. */
  readonly dealershipName: string | null;
  readonly openQuestionCount: number;
  readonly latestActivityAt: string | null;
}

export type RequestFacts = DealSetSummaryFacts | SingleFacts;
