import { IsCents, IsId, IsNullable, IsText, IsTime, IsToken } from './field-rules.js';

/** Something a dealership asked the buyer. */
export class QuestionRecord {
  @IsId() id!: string;
  @IsId() priceCheckId!: string;
  @IsNullable() @IsToken() promptId?: string | null;
  @IsToken() category!: string;
  @IsText(10_000) text!: string;
  @IsToken() answerMode!: string;
  @IsNullable() @IsCents() otdCents?: number | null;
  @IsTime() askedAt!: string;
  @IsNullable() @IsTime() answeredAt?: string | null;
}

/** A reply that waits for the buyer's word. */
export class DraftRecord {
  @IsId() id!: string;
  @IsId() priceCheckId!: string;
  @IsText(100_000) body!: string;
  @IsTime() createdAt!: string;
  @IsNullable() @IsTime() resolvedAt?: string | null;
}

/** A dealership's reply: that it arrived, never what it said. */
export class ReplyRecord {
  @IsId() id!: string;
  @IsId() priceCheckId!: string;
  /** The service's own receipt time. */
  @IsTime() receivedAt!: string;
}
