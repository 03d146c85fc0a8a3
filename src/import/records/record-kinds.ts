import { DealSetRecord } from './deal-set-record.js';
import { BuyerRecord, DealershipRecord, GrantRecord, SessionRecord } from './people-records.js';
import { IsWithin } from './field-rules.js';
import { PriceCheckRecord } from './price-check-record.js';
import { DraftRecord, QuestionRecord, ReplyRecord } from './thread-records.js';

/** What a class declares, as the plain object that a line of JSON is. */
type Shape<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: Shape<T[K]> }
    : T;

/** Every kind of record that an import file may hold, under the name its `record` key gives. */
export interface RecordTypes {
  buyer: Shape<BuyerRecord>;
  dealership: Shape<DealershipRecord>;
  session: Shape<SessionRecord>;
  grant: Shape<GrantRecord>;
  dealSet: Shape<DealSetRecord>;
  priceCheck: Shape<PriceCheckRecord>;
  question: Shape<QuestionRecord>;
  draft: Shape<DraftRecord>;
  reply: Shape<ReplyRecord>;
}

export type RecordKind = keyof RecordTypes;

/** A line of an import file, as an object. */
export type ImportRecord = { [K in RecordKind]: { record: K } & RecordTypes[K] }[RecordKind];

export const RECORD_CLASSES: Readonly<Record<RecordKind, new () => object>> = {
  buyer: BuyerRecord,
  dealership: DealershipRecord,
  session: SessionRecord,
  grant: GrantRecord,
  dealSet: DealSetRecord,
  priceCheck: PriceCheckRecord,
  question: QuestionRecord,
  draft: DraftRecord,
  reply: ReplyRecord,
};

export const RECORD_KINDS = Object.keys(RECORD_CLASSES) as readonly RecordKind[];

export function isRecordKind(value: unknown): value is RecordKind {
  return typeof value === 'string' && Object.hasOwn(RECORD_CLASSES, value);
}

/** The optional last line of a file. With it, a file that was cut off is recognised. */
export class EndRecord {
  /** How many records the file has before this line. */
  @IsWithin(0, Number.MAX_SAFE_INTEGER) records!: number;
}
