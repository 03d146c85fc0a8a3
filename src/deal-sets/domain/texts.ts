import { carDescription, requestedCarDescription, shortCarDescription } from './car-label.js';
import { headerLine, questionHeading, statusLabel } from './display-text.js';
import type { Ending } from '../../kernel/price-check-values.js';
import type { ListedFacts, RequestedCarFacts, SummaryFacts } from './facts.js';
import type { RowState } from './row-state.js';

/** The display texts of the responses. Every text is made here, so that a team can replace it. */
export interface Texts {
  /** A row without a name that may be shown; `fallback` when nothing is known of its listing. */
  car(listing: ListedFacts, fallback: string): string;
  /** A single request, and a row in a heading; null when nothing is known. */
  shortCar(listing: Pick<ListedFacts, 'year' | 'model' | 'trim'>): string | null;
  /** What a row is called when nothing is known of its listing. */
  requestedCar(car: Pick<RequestedCarFacts, 'year' | 'model' | 'namesDealership'>): string;
  status(state: RowState, ended: Ending | null): string;
  questionHeading(category: string, label: string): string;
  headerLine(summary: SummaryFacts, archived: number): string;
}

/** The service's own texts, in English. */
export const STANDARD_TEXTS: Texts = {
  car: carDescription,
  shortCar: shortCarDescription,
  requestedCar: requestedCarDescription,
  status: statusLabel,
  questionHeading,
  headerLine,
};
