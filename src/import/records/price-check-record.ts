import { CAR_ANSWERS, ENDINGS } from '../../kernel/price-check-values.js';
import {
  IsCents,
  IsId,
  IsMiles,
  IsNullable,
  IsOneOf,
  IsPart,
  IsText,
  IsTime,
  IsWithin,
} from './field-rules.js';

/** The dealership's listing of the car, as it was written. */
export class ListingPart {
  @IsNullable() @IsWithin(1886, 2100) year?: number | null;
  @IsNullable() @IsText(200) make?: string | null;
  @IsNullable() @IsText(200) model?: string | null;
  @IsNullable() @IsText(200) trim?: string | null;
  @IsNullable() @IsText(200) exteriorColor?: string | null;
  /** Miles on the odometer. */
  @IsNullable() @IsWithin(0, 9_999_999) mileage?: number | null;
  @IsNullable() @IsCents() listedAtCents?: number | null;
  @IsNullable() @IsText(64) vin?: string | null;
  @IsNullable() @IsText(2048) url?: string | null;
  @IsNullable() @IsText(2048) imageUrl?: string | null;
}

/** What the dealership asks. Without `writtenAt` it is not in writing. */
export class PricePart {
  @IsCents() otdCents!: number;
  @IsNullable() @IsCents() sellingPriceCents?: number | null;
  @IsNullable() @IsTime() writtenAt?: string | null;
}

/** An ask sent to one dealership: a row of a deal set, or a request of its own. */
export class PriceCheckRecord {
  @IsId() id!: string;
  @IsId() buyerId!: string;
  /** Absent: a request to a single dealership. */
  @IsNullable() @IsId() dealSetId?: string | null;
  @IsId() dealershipId!: string;
  @IsPart(() => ListingPart) listing!: ListingPart;
  @IsNullable() @IsMiles() distanceMiles?: number | null;
  @IsTime() requestedAt!: string;
  @IsNullable() @IsOneOf(CAR_ANSWERS) answer?: string | null;
  @IsNullable() @IsPart(() => PricePart) price?: PricePart | null;
  /** When the dealership finished and sent its offer. */
  @IsNullable() @IsTime() finishedAt?: string | null;
  @IsNullable()
  @IsOneOf(ENDINGS)
  ended?: string | null;
  @IsNullable() @IsTime() endedAt?: string | null;
  @IsNullable() @IsTime() unlockedAt?: string | null;
  @IsNullable() @IsTime() chosenAt?: string | null;
  @IsNullable() @IsTime() archivedAt?: string | null;
  /** Time of the request's newest change; decides only in a backfill, and only on a single request. */
  @IsNullable() @IsTime() latestActivityAt?: string | null;
}
