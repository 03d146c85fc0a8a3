import { aboutMiles, inLine } from '../domain/car-label.js';
import { ignoreRejection } from '../../kernel/ignore-rejection.js';
import type { Ending } from '../../kernel/price-check-values.js';
import type { ListedFacts, SummaryFacts } from '../domain/facts.js';
import type { RowState } from '../domain/row-state.js';
import { STANDARD_TEXTS, type Texts } from '../domain/texts.js';

/** A listed car as a display text may know it; null where unknown or hidden from the principal. */
export interface CarText {
  readonly year: number | null;
  readonly model: string | null;
  readonly trim: string | null;
  readonly exteriorColor: string | null;
  /** To the nearest 100: exact miles are never sent. */
  readonly aboutMiles: number | null;
  /** A list price is never an offer: say that it is one. */
  readonly listedAtCents: number | null;
}

/**
 * Display texts of a team, in place of the service's: a locale. What is not given keeps its English text.
 *
 * Guarantees: a function is given only facts that the principal may know, after a team's redaction rules,
 * without characters that break a line or turn the direction of writing. The name of a dealership reaches
 * `questionHeading` alone, as the label of a row that the buyer has unlocked or chosen.
 * Must never: depend on anything but its argument; block.
 * When it throws, or returns anything but one line of 1 to 300 characters: the service's text is sent, and
 * the log says so.
 */
export interface DisplayTexts {
  /** `label`, `chosenLabels`: a row by its car, of which at least one part is known. */
  car?(car: CarText): string;
  /** `dealerLabel` of a single request, and a row in a heading; at least one part is known. */
  shortCar?(car: Pick<CarText, 'year' | 'model' | 'trim'>): string;
  /** A row of whose listing nothing is known: the car that the buyer asked for, as far as no part names a dealership. */
  requestedCar?(car: Pick<CarText, 'year' | 'model'>): string;
  /** `statusLabel`. */
  status?(row: { readonly state: RowState; readonly ended: Ending | null }): string;
  /** `heading`. The set of categories is open. */
  questionHeading?(question: { readonly category: string; readonly label: string }): string;
  /** `headerLine`. */
  headerLine?(counts: SummaryFacts & { readonly archived: number }): string;
}

const NAMES: Readonly<Record<keyof DisplayTexts, true>> = {
  car: true,
  shortCar: true,
  requestedCar: true,
  status: true,
  questionHeading: true,
  headerLine: true,
};

const TEXT_MAX = 300;
const UNFIT = /[\p{Cc}\u2028\u2029]/u;

/** Called when a text of the team could not be used. */
export type OnTextFailure = (text: keyof DisplayTexts, error: unknown) => void;

/**
 * The texts of the service with those of the team in place.
 *
 * @throws {Error} for a text that does not exist or is no function.
 */
export function textsOf(own: DisplayTexts | undefined, onFailure: OnTextFailure): Texts {
  if (!own) return STANDARD_TEXTS;
  for (const [name, text] of Object.entries(own)) {
    if (!Object.hasOwn(NAMES, name) || typeof text !== 'function') {
      throw new Error(
        `displayTexts.${name}: expected a function by one of the names ${Object.keys(NAMES).join(', ')}`,
      );
    }
  }
  const use = <K extends keyof DisplayTexts>(
    name: K,
    argument: Parameters<NonNullable<DisplayTexts[K]>>[0],
    standard: () => string,
  ): string => {
    if (!own[name]) return standard();
    try {
      // As a method: a team's texts may be an object of a class.
      return checked((own as Record<K, (argument: unknown) => unknown>)[name](argument));
    } catch (error) {
      onFailure(name, error);
      return standard();
    }
  };
  return {
    car: (listing, fallback) => {
      const car = carText(listing);
      if (isUnknown(car)) return fallback;
      return use('car', car, () => STANDARD_TEXTS.car(listing, fallback));
    },
    shortCar: (listing) => {
      const standard = STANDARD_TEXTS.shortCar(listing);
      const { year, model, trim } = listing;
      const car = { year, model: inLine(model), trim: inLine(trim) };
      return standard === null ? null : use('shortCar', car, () => standard);
    },
    requestedCar: (car) => {
      const isHidden = car.namesDealership === true;
      const shown = {
        year: isHidden ? null : car.year,
        model: isHidden ? null : inLine(car.model),
      };
      return use('requestedCar', shown, () => STANDARD_TEXTS.requestedCar(car));
    },
    status: (state, ended) =>
      use('status', { state, ended }, () => STANDARD_TEXTS.status(state, ended)),
    questionHeading: (category, label) =>
      use('questionHeading', { category, label }, () =>
        STANDARD_TEXTS.questionHeading(category, label),
      ),
    headerLine: (summary, archived) =>
      use('headerLine', { ...summary, archived }, () =>
        STANDARD_TEXTS.headerLine(summary, archived),
      ),
  };
}

function carText(listing: ListedFacts): CarText {
  const { year, model, trim, exteriorColor, mileage, listedAtCents } = listing;
  return {
    year,
    model: inLine(model),
    trim: inLine(trim),
    exteriorColor: inLine(exteriorColor),
    aboutMiles: mileage === null ? null : aboutMiles(mileage),
    listedAtCents,
  };
}

function isUnknown(car: CarText): boolean {
  return Object.values(car).every((part) => part === null || part === '');
}

/** @throws {TypeError} never with the text: it goes to the log. */
function checked(text: unknown): string {
  ignoreRejection(text);
  if (typeof text !== 'string') throw new TypeError('a display text is no string');
  if (text.trim() === '') throw new TypeError('a display text is empty');
  if (text.length > TEXT_MAX) throw new TypeError('a display text is too long');
  if (UNFIT.test(text)) throw new TypeError('a display text has a line break');
  return text;
}
