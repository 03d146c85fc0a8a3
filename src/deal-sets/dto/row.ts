import {
  ENDINGS,
  ROW_STATES,
  type Ending,
  type RowState,
} from '../../kernel/price-check-values.js';
import {
  Described,
  ResponseDto,
  Shown,
  UnlessHosted,
  Withheld,
} from '../../redaction/field.decorators.js';
import { DISTANCE_BANDS, type DistanceBand } from '../domain/disclosure.js';
import { INTEGER, MILES, TEXT, TIME } from './field-types.js';

const BAND = { enum: DISTANCE_BANDS } as const;

/**
 * States what an assistant gets in place of the dealership's name. Appended to the description of
 * each label that shows the buyer that name.
 */
export const ASSISTANT_LABEL_NOTE = 'An assistant always gets a description of the car.';

const LABEL =
  'Display text. The dealership’s name once the buyer has unlocked or chosen it, and a description of the car until then. Two rows can have the same label.';
const DISTANCE =
  'Miles to the dealership. Until it is unlocked or chosen, the lower bound of its distance band (0, 10, 25, 50 or 100).';

@ResponseDto('One dealership’s answer within a deal set.')
export class Row {
  @Shown('Identifies the row. Refer to a row by this key, never by its label.')
  readonly rowKey!: string;
  @Described(LABEL, ASSISTANT_LABEL_NOTE) readonly label!: string;
  @Shown(
    'Whether the dealership’s name is hidden, because the buyer has neither unlocked nor chosen it.',
  )
  readonly hidden!: boolean;
  @Shown('Whether the buyer chose this dealership.') readonly chosen!: boolean;
  @Shown('Whether the buyer archived the row.') readonly archived!: boolean;
  @Shown('State of the dealership’s answer.', { enum: ROW_STATES }) readonly state!: RowState;
  @Shown('How the thread ended; null while it has not ended.', { enum: ENDINGS, isNullable: true })
  readonly ended!: Ending | null;
  @Shown('Display text for the state.') readonly statusLabel!: string;
  @Shown('Out-the-door price in writing, US cents.', INTEGER) readonly otdCents!: number | null;
  @Shown('Selling price in writing, before taxes and fees, US cents.', INTEGER)
  readonly sellingPriceCents!: number | null;
  @Shown('The listing’s list price, US cents; never an offer.', INTEGER)
  readonly listedAtCents!: number | null;
  @Shown('When the price was given in writing.', TIME) readonly writtenAt!: string | null;
  @Shown(
    'Difference from the lowest price of the row’s own group (not of the deal set), US cents: 0 for that price itself, null on rows that are not ranked.',
    INTEGER,
  )
  readonly gapToLowestCents!: number | null;
  @Shown(
    'Whether the row may be chosen: unlocked, not chosen, priced in writing for the same car, and not archived. It can be true although the row or the deal set has ended.',
  )
  readonly canChoose!: boolean;
  @Shown(
    'Whether the row may be unlocked: hidden, priced in writing for the same car, and not archived. It can be true although the row or the deal set has ended.',
  )
  readonly canUnlock!: boolean;
  @Shown('Trim as the listing gives it.', TEXT) readonly quotedTrim!: string | null;
  @Withheld(DISTANCE, MILES) readonly distanceMiles!: number | null;
  @Withheld('The distance band.', BAND) readonly distanceBand!: DistanceBand | null;
  @Shown('Path of the row on the website; null while the dealership is hidden.', TEXT)
  readonly priceCheckHref!: string | null;
  @UnlessHosted(
    'True for a Verified partner: a dealership that pays the service a subscription and has agreed to honor its written price while the car is available, if the buyer qualifies for the rebates, incentives and financing in that price. Show those conditions with it. False can also mean that the status is not known yet, so do not present it as “not a partner”. The status can change without an entry in a `since` call: read the deal set again before you show `true`.',
  )
  readonly isVerifiedPartner?: boolean;
}

@ResponseDto('The row with the lowest written price of all.')
export class Hero {
  @Shown('The row’s key.') readonly rowKey!: string;
  @Described(LABEL, ASSISTANT_LABEL_NOTE) readonly label!: string;
  @Shown('Out-the-door price in writing, US cents.') readonly otdCents!: number;
  @Shown('Selling price in writing, US cents.', INTEGER) readonly sellingPriceCents!: number | null;
  @Shown(
    'Out-the-door price less selling price, US cents; null unless both are known and the difference is not negative.',
    INTEGER,
  )
  readonly taxesAndFeesCents!: number | null;
  @Shown('The listing’s list price, US cents.', INTEGER) readonly listedAtCents!: number | null;
  @Shown('When the price was given in writing.', TIME) readonly writtenAt!: string | null;
  @Withheld(DISTANCE, MILES) readonly distanceMiles!: number | null;
  @Withheld('The distance band.', BAND) readonly distanceBand!: DistanceBand | null;
  @Shown('Trim as the listing gives it.', TEXT) readonly trim!: string | null;
  @Shown(
    'Difference from the second-lowest price of its group, US cents; null when the group has one row.',
    INTEGER,
  )
  readonly gapToNextCents!: number | null;
  @Shown('Whether its row may be chosen.') readonly canChoose!: boolean;
  @Shown('Whether its row may be unlocked.') readonly canUnlock!: boolean;
  @Shown('Whether the buyer chose its dealership.') readonly chosen!: boolean;
}
