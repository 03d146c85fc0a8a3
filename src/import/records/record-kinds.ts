import { CAR_ANSWERS, ENDINGS } from '../../kernel/price-check-values.js';
import {
  cents,
  checkOf,
  clientId,
  count,
  flag,
  id,
  integer,
  miles,
  nullable,
  oneOf,
  part,
  sha256,
  text,
  textList,
  time,
  token,
  visibleText,
  zip,
  type BrokenRule,
  type RulesOf,
} from './rules.js';

/** A buyer: the owner of everything else. */
export interface BuyerRecord {
  id: string;
  /** An assistant of this buyer gets `changes`. */
  changesGranted?: boolean | null;
}

const buyer: RulesOf<BuyerRecord> = { id, changesGranted: nullable(flag) };

/** A dealership. Its name and contact are what the service keeps from assistants. */
export interface DealershipRecord {
  id: string;
  name: string;
  phone?: string | null;
  email?: string | null;
  website?: string | null;
  /** Null or absent: not known yet. */
  verifiedPartner?: boolean | null;
}

const dealership: RulesOf<DealershipRecord> = {
  id,
  name: visibleText(300, 1),
  phone: nullable(text(200)),
  email: nullable(text(320)),
  website: nullable(text(2048)),
  verifiedPartner: nullable(flag),
};

/** A signed-in website session of a buyer. */
export interface SessionRecord {
  id: string;
  buyerId: string;
  /** SHA-256 of the cookie's value; the value itself is never stored. */
  tokenSha256: string;
  expiresAt: string;
  revokedAt?: string | null;
}

const session: RulesOf<SessionRecord> = {
  id,
  buyerId: id,
  tokenSha256: sha256,
  expiresAt: time,
  revokedAt: nullable(time),
};

/** A buyer's approval of an assistant. */
export interface GrantRecord {
  id: string;
  buyerId: string;
  clientId: string;
  scopes: string[];
  hosted?: boolean | null;
  grantedAt: string;
  revokedAt?: string | null;
}

const grant: RulesOf<GrantRecord> = {
  id,
  buyerId: id,
  clientId,
  scopes: textList(100, 200),
  hosted: nullable(flag),
  grantedAt: time,
  revokedAt: nullable(time),
};

/** The car that a deal set asks prices for. */
export interface CarPart {
  year: number;
  make: string;
  model: string;
  trim?: string | null;
  exteriorColor?: string | null;
  interiorColor?: string | null;
  drivetrain?: string | null;
  powertrain?: string | null;
}

const car: RulesOf<CarPart> = {
  year: integer(1886, 2100),
  make: visibleText(200),
  model: visibleText(200),
  trim: nullable(text(200)),
  exteriorColor: nullable(text(200)),
  interiorColor: nullable(text(200)),
  drivetrain: nullable(text(200)),
  powertrain: nullable(text(200)),
};

/** One ask sent to several dealerships. */
export interface DealSetRecord {
  id: string;
  buyerId: string;
  car: CarPart;
  buyerZip?: string | null;
  radiusMiles?: number | null;
  /** How many dealerships the search found. */
  dealersFound?: number | null;
  createdAt: string;
  endedAt?: string | null;
  /** Time of the request's newest change; decides only in a backfill. */
  latestActivityAt?: string | null;
  /** Its place in the feed where that time is not known; as `export` writes it, for a backfill. */
  recordedAt?: string | null;
}

const dealSet: RulesOf<DealSetRecord> = {
  id,
  buyerId: id,
  car: part(car),
  buyerZip: nullable(zip),
  radiusMiles: nullable(miles),
  dealersFound: nullable(integer(0, 2_147_483_647)),
  createdAt: time,
  endedAt: nullable(time),
  latestActivityAt: nullable(time),
  recordedAt: nullable(time),
};

/** The dealership's listing of the car, as it was written. */
export interface ListingPart {
  year?: number | null;
  make?: string | null;
  model?: string | null;
  trim?: string | null;
  exteriorColor?: string | null;
  /** Miles on the odometer. */
  mileage?: number | null;
  listedAtCents?: number | null;
  vin?: string | null;
  url?: string | null;
  imageUrl?: string | null;
}

const listing: RulesOf<ListingPart> = {
  year: nullable(integer(1886, 2100)),
  make: nullable(text(200)),
  model: nullable(text(200)),
  trim: nullable(text(200)),
  exteriorColor: nullable(text(200)),
  mileage: nullable(integer(0, 9_999_999)),
  listedAtCents: nullable(cents),
  vin: nullable(text(64)),
  url: nullable(text(2048)),
  imageUrl: nullable(text(2048)),
};

/** What the dealership asks. Without `writtenAt` it is not in writing. */
export interface PricePart {
  otdCents: number;
  sellingPriceCents?: number | null;
  writtenAt?: string | null;
}

const price: RulesOf<PricePart> = {
  otdCents: cents,
  sellingPriceCents: nullable(cents),
  writtenAt: nullable(time),
};

/** An ask sent to one dealership: a row of a deal set, or a request of its own. */
export interface PriceCheckRecord {
  id: string;
  buyerId: string;
  /** Absent: a request to a single dealership. */
  dealSetId?: string | null;
  dealershipId: string;
  listing: ListingPart;
  distanceMiles?: number | null;
  requestedAt: string;
  answer?: string | null;
  price?: PricePart | null;
  /** When the dealership finished and sent its offer. */
  finishedAt?: string | null;
  ended?: string | null;
  endedAt?: string | null;
  unlockedAt?: string | null;
  chosenAt?: string | null;
  archivedAt?: string | null;
  /** Time of the request's newest change; decides only in a backfill, and only on a single request. */
  latestActivityAt?: string | null;
  /** As of a deal set, on a single request. */
  recordedAt?: string | null;
}

const priceCheck: RulesOf<PriceCheckRecord> = {
  id,
  buyerId: id,
  dealSetId: nullable(id),
  dealershipId: id,
  listing: part(listing),
  distanceMiles: nullable(miles),
  requestedAt: time,
  answer: nullable(oneOf(CAR_ANSWERS)),
  price: nullable(part(price)),
  finishedAt: nullable(time),
  ended: nullable(oneOf(ENDINGS)),
  endedAt: nullable(time),
  unlockedAt: nullable(time),
  chosenAt: nullable(time),
  archivedAt: nullable(time),
  latestActivityAt: nullable(time),
  recordedAt: nullable(time),
};

/** Something a dealership asked the buyer. */
export interface QuestionRecord {
  id: string;
  priceCheckId: string;
  promptId?: string | null;
  category: string;
  text: string;
  answerMode: string;
  otdCents?: number | null;
  askedAt: string;
  answeredAt?: string | null;
}

const question: RulesOf<QuestionRecord> = {
  id,
  priceCheckId: id,
  promptId: nullable(token),
  category: token,
  text: text(10_000),
  answerMode: token,
  otdCents: nullable(cents),
  askedAt: time,
  answeredAt: nullable(time),
};

/** A reply that waits for the buyer's word. */
export interface DraftRecord {
  id: string;
  priceCheckId: string;
  body: string;
  createdAt: string;
  resolvedAt?: string | null;
}

const draft: RulesOf<DraftRecord> = {
  id,
  priceCheckId: id,
  body: text(100_000),
  createdAt: time,
  resolvedAt: nullable(time),
};

/** A dealership's reply: that it arrived, never what it said. */
export interface ReplyRecord {
  id: string;
  priceCheckId: string;
  /** The service's own receipt time. */
  receivedAt: string;
  /** When clients could first read it; as `export` writes it, for a backfill. */
  arrivedAt?: string | null;
}

const reply: RulesOf<ReplyRecord> = {
  id,
  priceCheckId: id,
  receivedAt: time,
  arrivedAt: nullable(time),
};

/** That a buyer was erased: an import goes on skipping her records. */
export interface ErasedBuyerRecord {
  /** SHA-256 of her id as text. */
  idSha256: string;
}

const erasedBuyer: RulesOf<ErasedBuyerRecord> = { idSha256: sha256 };

/** The optional last line of a file. With it, a file that was cut off is recognised. */
export interface EndRecord {
  /** How many records the file has before this line. */
  records: number;
}

const end: RulesOf<EndRecord> = { records: count };

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

const RULES = { buyer, dealership, session, grant, dealSet, priceCheck, question, draft, reply };

export const RECORD_KINDS = Object.keys(RULES) as readonly RecordKind[];

export function isRecordKind(value: unknown): value is RecordKind {
  return typeof value === 'string' && Object.hasOwn(RULES, value);
}

/** Records without a table of their own: `erasedBuyer` is anywhere in a file, `end` is the last line. */
const FURTHER_RULES = { erasedBuyer, end };

export type FurtherRecord =
  | ({ readonly record: 'erasedBuyer' } & ErasedBuyerRecord)
  | ({ readonly record: 'end' } & EndRecord);

export const FURTHER_KINDS = Object.keys(FURTHER_RULES) as readonly FurtherRecord['record'][];

const checks = new Map<string, ReturnType<typeof checkOf>>();

/** What is wrong with the keys of a record, without its `record`; times are brought to the service's form. */
export function checkRecord(
  kind: RecordKind | FurtherRecord['record'],
  keys: object,
): readonly BrokenRule[] {
  let check = checks.get(kind);
  if (!check) {
    check = checkOf(isRecordKind(kind) ? RULES[kind] : FURTHER_RULES[kind]);
    checks.set(kind, check);
  }
  return check(keys);
}
