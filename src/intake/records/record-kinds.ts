import { DealSetRecord } from './deal-set-record.js';
import { BuyerRecord, DealershipRecord, GrantRecord, SessionRecord } from './people-records.js';
import { PriceCheckRecord } from './price-check-record.js';
import { DraftRecord, QuestionRecord, ReplyRecord } from './thread-records.js';

/** Every kind of record that an import file may hold, under the name its `record` key gives. */
export interface RecordTypes {
  buyer: BuyerRecord;
  dealership: DealershipRecord;
  session: SessionRecord;
  grant: GrantRecord;
  dealSet: DealSetRecord;
  priceCheck: PriceCheckRecord;
  question: QuestionRecord;
  draft: DraftRecord;
  reply: ReplyRecord;
}

export type RecordKind = keyof RecordTypes;

/** A line of an import file, as an object. */
export type ImportRecord = { [K in RecordKind]: { record: K } & RecordTypes[K] }[RecordKind];

export const RECORD_CLASSES: { readonly [K in RecordKind]: new () => RecordTypes[K] } = {
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
