import { Expose, Transform, Type } from 'class-transformer';

/** Groups of readers, as class-transformer distinguishes them. */
export const NOT_HOSTED = ['session', 'assistant'];

export class CarDto {
  @Expose() year!: number | null;
  @Expose() make!: string | null;
  @Expose() model!: string | null;
  @Expose() trim!: string | null;
  @Expose() exteriorColor?: string | null;
  @Expose() interiorColor?: string | null;
  @Expose() drivetrain?: string | null;
  @Expose() powertrain?: string | null;
}

export class SummaryDto {
  @Expose() written!: number;
  @Expose() waiting!: number;
  @Expose() differentCar!: number;
  @Expose() ended!: number;
  @Expose() endedWithPrice!: number;
  @Expose() closedWithPrice!: number;
  @Expose() needsYou?: number;
  @Expose() total?: number | null;
}

export class NewRepliesDto {
  @Expose() status!: string;
  @Expose() count?: number;
  @Expose() latestAt?: string;
}

export class ChangesDto {
  @Expose() hasWrittenPrice!: boolean;
  @Expose() @Type(() => NewRepliesDto) newReplies!: NewRepliesDto;
  @Expose() ended!: boolean;
}

export class EntryDto {
  @Expose() kind!: string;
  @Expose() id?: string;
  @Expose() dealSetId?: string;
  @Expose() href?: string;
  @Expose() @Type(() => CarDto) car!: CarDto;
  @Expose() dealerLabel?: string | null;
  @Expose() section!: string;
  @Expose() lowestWrittenOtdCents!: number | null;
  @Expose() needsYou!: number;
  @Expose() latestActivityAt!: string | null;
  @Expose() @Type(() => ChangesDto) changes?: ChangesDto;
  @Expose() buyerZip?: string | null;
  @Expose() dealerCount?: number | null;
  @Expose() @Type(() => SummaryDto) summary?: SummaryDto;
  @Expose() lowestWrittenDistanceMiles?: number | null;
  @Expose() chosenLabels?: string[];
  @Expose() memberIds?: string[];
}

export class RowDto {
  @Expose() rowKey!: string;
  @Expose() label!: string;
  @Expose() hidden!: boolean;
  @Expose() chosen!: boolean;
  @Expose() archived!: boolean;
  @Expose() state!: string;
  @Expose() ended!: string | null;
  @Expose() statusLabel!: string;
  @Expose() otdCents!: number | null;
  @Expose() sellingPriceCents!: number | null;
  @Expose() listedAtCents!: number | null;
  @Expose() writtenAt!: string | null;
  @Expose() gapToLowestCents!: number | null;
  @Expose() canChoose!: boolean;
  @Expose() canUnlock!: boolean;
  @Expose() quotedTrim!: string | null;
  @Expose() distanceMiles!: number | null;
  @Expose() distanceBand!: string | null;
  @Expose() priceCheckHref!: string | null;
  @Expose({ groups: NOT_HOSTED }) isVerifiedPartner?: boolean;
}

export class HeroDto {
  @Expose() rowKey!: string;
  @Expose() label!: string;
  @Expose() otdCents!: number;
  @Expose() sellingPriceCents!: number | null;
  @Expose() taxesAndFeesCents!: number | null;
  @Expose() listedAtCents!: number | null;
  @Expose() writtenAt!: string | null;
  @Expose() distanceMiles!: number | null;
  @Expose() distanceBand!: string | null;
  @Expose() trim!: string | null;
  @Expose() gapToNextCents!: number | null;
  @Expose() canChoose!: boolean;
  @Expose() canUnlock!: boolean;
  @Expose() chosen!: boolean;
}

export class ItemDto {
  @Expose() kind!: string;
  @Expose() rowKey!: string;
  @Expose() label!: string;
  @Expose() promptId?: string | null;
  @Expose() category?: string;
  @Expose() heading?: string;
  @Expose() question?: string | null;
  @Expose() answerMode?: string;
  @Expose() otdCents?: number | null;
  @Expose() requestId?: string;
  @Expose() preview?: string | null;
  @Expose() previewComplete?: boolean;
}

export class GroupDto {
  @Expose() trim!: string | null;
  @Expose() @Type(() => RowDto) rows!: RowDto[];
}

export class OthersDto {
  @Expose() @Type(() => RowDto) waiting!: RowDto[];
  @Expose() @Type(() => RowDto) differentCar!: RowDto[];
  @Expose() @Type(() => RowDto) ended!: RowDto[];
  @Expose() @Type(() => RowDto) archived!: RowDto[];
}

export class SearchDto {
  @Expose() buyerZip!: string | null;
  @Expose() radiusMiles!: number | null;
}

export class DealSetDto {
  @Expose() dealSetId!: string;
  @Expose() @Type(() => CarDto) car!: CarDto;
  @Expose() @Type(() => SearchDto) search!: SearchDto;
  @Expose() @Type(() => SummaryDto) counts!: SummaryDto;
  @Expose()
  @Transform(
    ({ value, options }): unknown => (options.groups?.includes('session') ? value : null),
    { toPlainOnly: true },
  )
  headerLine!: string | null;
  @Expose() @Type(() => HeroDto) hero!: HeroDto | null;
  @Expose() @Type(() => GroupDto) ranked!: GroupDto[];
  @Expose() @Type(() => ItemDto) needsYou!: ItemDto[];
  @Expose() @Type(() => OthersDto) everyoneElse!: OthersDto;
}
