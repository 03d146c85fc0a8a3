import type { CarAnswer, Ending, RowState } from '../../kernel/price-check-values.js';

// The facts of a request that one principal type may read. Facts marked "Session" are never read
// for an assistant and are null for it. Times are ISO 8601 in UTC with three decimals; money is US
// cents; distances are miles.

/** The parts of a listing as they may be shown; null where unknown. */
export interface ListedFacts {
  readonly year: number | null;
  readonly model: string | null;
  readonly trim: string | null;
  readonly exteriorColor: string | null;
  readonly mileage: number | null;
  readonly listedAtCents: number | null;
}

/** One dealership's part of a deal set, with its listing. */
export interface PriceCheckFacts extends ListedFacts {
  readonly id: string;
  readonly answer: CarAnswer | null;
  readonly otdCents: number | null;
  readonly sellingPriceCents: number | null;
  /** When the price was put in writing; null while it is not. */
  readonly writtenAt: string | null;
  /** Whether the price is in writing. No other price is shown or counted. */
  readonly isWritten: boolean;
  readonly ended: Ending | null;
  readonly state: RowState;
  /** Whether the buyer unlocked or chose the dealership. */
  readonly isSeen: boolean;
  readonly isChosen: boolean;
  readonly isArchived: boolean;
  readonly isVerifiedPartner: boolean;
  /** Session: the exact distance to the dealership. */
  readonly distanceMiles: number | null;
  /** Session, once the dealership is seen. */
  readonly dealershipName: string | null;
}

/** An open question or draft that waits for the buyer. */
export type NeedsYouFacts = QuestionFacts | DraftFacts;

interface ItemFacts {
  readonly id: string;
  readonly priceCheckId: string;
  /**
   * Session: the words of the question, or as much of the draft as a preview may need. While the
   * dealership is hidden, the text that the writer has cleared for that time takes the place of the
   * words; null without one.
   */
  readonly words: string | null;
}

/** An open question. */
export interface QuestionFacts extends ItemFacts {
  readonly kind: 'question';
  readonly promptId: string | null;
  readonly category: string;
  readonly answerMode: string;
  readonly otdCents: number | null;
}

/** An open draft. */
export interface DraftFacts extends ItemFacts {
  readonly kind: 'draft';
  /** Session: whether `words` is not the whole draft. */
  readonly isPartial: boolean | null;
}

/** The car that the buyer requested. */
export interface RequestedCarFacts {
  readonly year: number;
  readonly make: string;
  readonly model: string;
  /** Session. The same applies to the following facts. */
  readonly trim: string | null;
  readonly exteriorColor: string | null;
  readonly interiorColor: string | null;
  readonly drivetrain: string | null;
  readonly powertrain: string | null;
}

/** A deal set with all its price checks. */
export interface DealSetFacts {
  readonly id: string;
  readonly car: RequestedCarFacts;
  /** Session. The same applies to `radiusMiles` and `dealersFound`. */
  readonly buyerZip: string | null;
  readonly radiusMiles: number | null;
  readonly dealersFound: number | null;
  readonly priceChecks: readonly PriceCheckFacts[];
  /** The open questions and drafts, oldest first. */
  readonly needsYouItems: readonly NeedsYouFacts[];
}

/** Row counts by state, archived rows excluded. */
export interface SummaryFacts {
  readonly written: number;
  readonly waiting: number;
  readonly differentCar: number;
  readonly ended: number;
  readonly endedWithPrice: number;
  readonly closedWithPrice: number;
}

/** A request as the list shows it: a deal set with its figures, or a request to one dealership. */
export type RequestFacts = DealSetSummaryFacts | SingleFacts;

interface ListedRequestFacts {
  readonly id: string;
  readonly hasEnded: boolean;
  /**
   * Whether a dealership has finished its offer. For a deal set, rows that are archived, have ended
   * or are for a different car do not count.
   */
  readonly hasFinished: boolean;
  readonly lowestWrittenOtdCents: number | null;
  /** Open questions and drafts of a deal set; open questions of a single request. */
  readonly needsYou: number;
  readonly latestActivityAt: string | null;
}

/** A deal set as the list shows it. */
export interface DealSetSummaryFacts
  extends
    ListedRequestFacts,
    RequestedCarFacts,
    SummaryFacts,
    Pick<DealSetFacts, 'buyerZip' | 'dealersFound'> {
  readonly kind: 'deal_set';
  /**
   * Session: the exact distance to the dealership of the hero (the row with the lowest ranked
   * price), and whether this dealership is seen. Both fields are null if there is no hero.
   */
  readonly lowestWrittenDistanceMiles: number | null;
  readonly isLowestWrittenSeen: boolean | null;
  /** Chosen rows ordered by id, with the facts that their labels need; null when there are none. */
  readonly chosen: readonly (ListedFacts & Pick<PriceCheckFacts, 'answer'>)[] | null;
  /** Session: the names of the dealerships of the chosen rows, in the order of `chosen`. */
  readonly chosenNames: readonly string[] | null;
  /** Ids of all rows in ascending order, joined by commas; null when there are none. */
  readonly memberIds: string | null;
}

/** A request to one dealership as the list shows it, with the car as its listing shows it. */
export interface SingleFacts
  extends ListedRequestFacts, Pick<ListedFacts, 'year' | 'model' | 'trim'> {
  readonly kind: 'single';
  readonly make: string | null;
  readonly isArchived: boolean;
  /** Session, once the dealership is seen. */
  readonly dealershipName: string | null;
}
