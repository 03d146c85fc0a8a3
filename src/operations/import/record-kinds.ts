import { CAR_ANSWERS, ENDINGS } from '../../kernel/price-check-values.js';
import {
  checksOf,
  clientId,
  flag,
  id,
  integer,
  miles,
  nullable,
  oneOf,
  nestedObject,
  safeInteger,
  sha256,
  text,
  textList,
  time,
  token,
  visibleText,
  wordToken,
  zip,
  type RecordOf,
  type Rules,
} from './rules.js';

/** The position of a request in the feed; used only by a backfill. */
const PLACE = {
  /** Time of the request's newest change. */
  latestActivityAt: nullable(time),
  /** Used where that time is not known; `export` writes it. */
  recordedAt: nullable(time),
};

const YEAR = integer(1886, 2100);
const PART_OF_CAR = nullable(text(200));
const NOT_STORED = { column: null };

/**
 * The keys of each kind of record, in the order of the foreign keys. Columns have the same names as
 * the keys.
 */
const RULES = {
  buyer: {
    id,
    /** Whether an assistant of this buyer gets `changes`. */
    changesGranted: nullable(flag, { absent: false }),
  },
  /** Name and contact data of a dealership are withheld from assistants. */
  dealership: {
    id,
    name: visibleText(300, 1),
    phone: nullable(text(200)),
    email: nullable(text(320)),
    website: nullable(text(2048)),
    /** Null or absent: not known yet. */
    verifiedPartner: nullable(flag),
  },
  session: {
    id,
    buyerId: id,
    /** SHA-256 of the cookie's value; the value itself is never stored. */
    tokenSha256: sha256,
    expiresAt: time,
    revokedAt: nullable(time),
  },
  grant: {
    id,
    buyerId: id,
    clientId,
    scopes: textList(100, 200),
    hosted: nullable(flag, { column: 'is_hosted', absent: false }),
    grantedAt: time,
    revokedAt: nullable(time),
  },
  dealSet: {
    id,
    buyerId: id,
    car: nestedObject('car_', {
      year: YEAR,
      make: visibleText(200),
      model: visibleText(200),
      trim: PART_OF_CAR,
      exteriorColor: PART_OF_CAR,
      interiorColor: PART_OF_CAR,
      drivetrain: PART_OF_CAR,
      powertrain: PART_OF_CAR,
    }),
    buyerZip: nullable(zip),
    radiusMiles: nullable(miles),
    dealersFound: nullable(integer(0, 2_147_483_647)),
    createdAt: time,
    endedAt: nullable(time),
    ...PLACE,
  },
  /** A request to one dealership: a row of a deal set, or a request of its own. */
  priceCheck: {
    id,
    buyerId: id,
    /** Absent for a request to a single dealership. */
    dealSetId: nullable(id),
    dealershipId: id,
    /** The dealership's listing of the car, as it was written. */
    listing: nestedObject('listing_', {
      year: nullable(YEAR),
      make: PART_OF_CAR,
      model: PART_OF_CAR,
      trim: PART_OF_CAR,
      exteriorColor: PART_OF_CAR,
      /** Miles on the odometer. */
      mileage: nullable(integer(0, 9_999_999)),
      listedAtCents: nullable(safeInteger),
      vin: nullable(text(64), NOT_STORED),
      url: nullable(text(2048), NOT_STORED),
      imageUrl: nullable(text(2048), NOT_STORED),
    }),
    distanceMiles: nullable(miles),
    requestedAt: time,
    answer: nullable(oneOf(CAR_ANSWERS)),
    /** The dealership's price. Without `writtenAt` it is not in writing. */
    price: nullable(
      nestedObject('', {
        otdCents: safeInteger,
        sellingPriceCents: nullable(safeInteger),
        writtenAt: nullable(time),
      }),
    ),
    finishedAt: nullable(time),
    ended: nullable(oneOf(ENDINGS)),
    endedAt: nullable(time),
    unlockedAt: nullable(time),
    chosenAt: nullable(time),
    archivedAt: nullable(time),
    ...PLACE,
  },
  question: {
    id,
    priceCheckId: id,
    promptId: nullable(token),
    category: wordToken,
    text: text(10_000),
    answerMode: wordToken,
    otdCents: nullable(safeInteger),
    askedAt: time,
    answeredAt: nullable(time),
  },
  draft: {
    id,
    priceCheckId: id,
    body: text(100_000),
    createdAt: time,
    resolvedAt: nullable(time),
  },
  /** A dealership's reply: that it arrived, never its text. */
  reply: {
    id,
    priceCheckId: id,
    /** The service's own receipt time. */
    receivedAt: time,
    /** When clients could first read it; written by `export`, for a backfill. */
    arrivedAt: nullable(time, { column: 'feed_at' }),
  },
  /** The erasure of a buyer: an import keeps skipping the buyer's records. */
  erasedBuyer: {
    /** SHA-256 of the buyer's id as text. */
    idSha256: sha256,
  },
  /** The last line, which shows that the file is complete. */
  end: {
    /** The number of records before this line. */
    records: safeInteger,
  },
};

type Kind = keyof typeof RULES;
/** The kinds of records that describe data, by the name of their `record` key. */
export type RecordKind = Exclude<Kind, 'erasedBuyer' | 'end'>;

/** The records of each kind, without their `record` key. */
export type RecordTypes = { [K in RecordKind]: RecordOf<(typeof RULES)[K]> };

type Lines = { [K in Kind]: { record: K } & RecordOf<(typeof RULES)[K]> };
/** Any line of an import file, including erasures and the closing record. */
export type FileRecord = Lines[Kind];
/** A line of an import file, as an object. */
export type ImportRecord = Lines[RecordKind];

/** The rules of every kind's keys. */
export const ALL_RULES: Readonly<Record<Kind, Rules>> = RULES;
/** The names of all kinds, in the order of the foreign keys. */
export const ALL_KINDS = Object.keys(RULES) as readonly Kind[];
/** The kinds that describe data, in the order of the foreign keys. */
export const RECORD_KINDS = ALL_KINDS.filter(
  (kind): kind is RecordKind => kind !== 'erasedBuyer' && kind !== 'end',
);
/** The kinds that belong to a price check; their records do not name their buyer. */
export const THREAD_KINDS = ['question', 'draft', 'reply'] as const satisfies RecordKind[];

/** Checks a record by the rules of its kind. It returns the broken rules. */
export const checkRecord = checksOf(ALL_RULES);
