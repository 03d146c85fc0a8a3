/** A buyer. */
export interface BuyerRecord {
  id: string;
  /** Whether an assistant of this buyer gets `changes`. Default: false. */
  changesGranted?: boolean | null;
}

/** A dealership. Its name and contact data are withheld from assistants. */
export interface DealershipRecord {
  id: string;
  name: string;
  phone?: string | null;
  email?: string | null;
  website?: string | null;
  /** Null or absent if it is not known yet. */
  verifiedPartner?: boolean | null;
}

/** A buyer's session on the website. */
export interface SessionRecord {
  id: string;
  buyerId: string;
  /** SHA-256 of the cookie's value in hexadecimal; the value itself is never stored. */
  tokenSha256: string;
  expiresAt: string;
  revokedAt?: string | null;
}

/** A buyer's approval of an assistant. */
export interface GrantRecord {
  id: string;
  buyerId: string;
  clientId: string;
  scopes: string[];
  /** Whether the assistant is hosted. Default: false. */
  hosted?: boolean | null;
  /** Since when the approval is valid. Tokens that were issued earlier are rejected. */
  grantedAt: string;
  revokedAt?: string | null;
  /** When the approval ends by itself. */
  expiresAt?: string | null;
}

/** The stamp of a request in the feed. Only a backfill uses it. */
export interface FeedPlace {
  /** Time of the request's newest change. */
  latestActivityAt?: string | null;
  /** The stamp if that time is not known; `export` writes it. */
  recordedAt?: string | null;
}

/** The car that the buyer requested. */
export interface RequestedCarRecord {
  year: number;
  make: string;
  model: string;
  trim?: string | null;
  exteriorColor?: string | null;
  interiorColor?: string | null;
  drivetrain?: string | null;
  powertrain?: string | null;
}

/** A search for one car, sent to several dealerships. */
export interface DealSetRecord extends FeedPlace {
  id: string;
  buyerId: string;
  car: RequestedCarRecord;
  buyerZip?: string | null;
  radiusMiles?: number | null;
  dealersFound?: number | null;
  createdAt: string;
  endedAt?: string | null;
}

/** A dealership's listing of a car, as the dealership wrote it. */
export interface ListingRecord {
  year?: number | null;
  make?: string | null;
  model?: string | null;
  trim?: string | null;
  exteriorColor?: string | null;
  /** Miles on the odometer. */
  mileage?: number | null;
  listedAtCents?: number | null;
  /** Accepted, but not stored. */
  vin?: string | null;
  /** Accepted, but not stored. */
  url?: string | null;
  /** Accepted, but not stored. */
  imageUrl?: string | null;
}

/** A dealership's price. Without `writtenAt` it is not in writing. */
export interface PriceRecord {
  otdCents: number;
  sellingPriceCents?: number | null;
  writtenAt?: string | null;
}

/** A request to one dealership: a row of a deal set, or a request of its own. */
export interface PriceCheckRecord extends FeedPlace {
  id: string;
  buyerId: string;
  /** Absent for a request to a single dealership. */
  dealSetId?: string | null;
  dealershipId: string;
  listing: ListingRecord;
  distanceMiles?: number | null;
  requestedAt: string;
  /** What the dealership said about the car. */
  answer?: string | null;
  price?: PriceRecord | null;
  finishedAt?: string | null;
  /** How the price check ended. */
  ended?: string | null;
  endedAt?: string | null;
  unlockedAt?: string | null;
  chosenAt?: string | null;
  archivedAt?: string | null;
}

/** A dealership's question to the buyer. */
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

/** A draft of a message that waits for the buyer. */
export interface DraftRecord {
  id: string;
  priceCheckId: string;
  body: string;
  createdAt: string;
  resolvedAt?: string | null;
}

/** The arrival of a dealership's reply. The record never contains the text of the reply. */
export interface ReplyRecord {
  id: string;
  priceCheckId: string;
  /** When the reply was received, not when it was sent. */
  receivedAt: string;
  /** When clients could first read the reply. `export` writes this key, and a backfill uses it. */
  arrivedAt?: string | null;
}

/**
 * The records of each kind that describes data, without their `record` key. Ids are UUIDs; times
 * are ISO 8601 strings with a zone. `docs/import-format.md` describes every key.
 */
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

/** The kinds of records that describe data, by the name of their `record` key. */
export type RecordKind = keyof RecordTypes;

/** A line of an import file, as an object. */
export type ImportRecord = {
  [Kind in RecordKind]: { record: Kind } & RecordTypes[Kind];
}[RecordKind];

/** The records of every kind, including those that do not describe data. */
export interface FileRecordTypes extends RecordTypes {
  /** The erasure of a buyer. Imports skip the records of an erased buyer. */
  erasedBuyer: {
    /** SHA-256 of the buyer's id as text. */
    idSha256: string;
  };
  /** The last line, which shows that the file is complete. */
  end: {
    /** The number of records before this line. */
    records: number;
  };
}

/** Any line of an import file, including erasures and the closing record. */
export type FileRecord = {
  [Kind in keyof FileRecordTypes]: { record: Kind } & FileRecordTypes[Kind];
}[keyof FileRecordTypes];
