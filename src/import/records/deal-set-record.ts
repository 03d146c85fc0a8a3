import {
  IsId,
  IsMiles,
  IsNotBlank,
  IsNullable,
  IsPart,
  IsText,
  IsTime,
  IsWithin,
  IsZip,
} from './field-rules.js';

/** The car that a deal set asks prices for. */
export class CarPart {
  @IsWithin(1886, 2100) year!: number;
  @IsText(200) @IsNotBlank() make!: string;
  @IsText(200) @IsNotBlank() model!: string;
  @IsNullable() @IsText(200) trim?: string | null;
  @IsNullable() @IsText(200) exteriorColor?: string | null;
  @IsNullable() @IsText(200) interiorColor?: string | null;
  @IsNullable() @IsText(200) drivetrain?: string | null;
  @IsNullable() @IsText(200) powertrain?: string | null;
}

/** One ask sent to several dealerships. */
export class DealSetRecord {
  @IsId() id!: string;
  @IsId() buyerId!: string;
  @IsPart(() => CarPart) car!: CarPart;
  @IsNullable() @IsZip() buyerZip?: string | null;
  @IsNullable() @IsMiles() radiusMiles?: number | null;
  /** How many dealerships the search found. */
  @IsNullable() @IsWithin(0, 2_147_483_647) dealersFound?: number | null;
  @IsTime() createdAt!: string;
  @IsNullable() @IsTime() endedAt?: string | null;
  /** Time of the request's newest change; decides only in a backfill. */
  @IsNullable() @IsTime() latestActivityAt?: string | null;
}
