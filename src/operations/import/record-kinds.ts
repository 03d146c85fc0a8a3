import { CAR_ANSWERS, ENDINGS } from '../../kernel/price-check-values.js';
import type {
  FeedPlace,
  FileRecordTypes,
  ListingRecord,
  PriceRecord,
  RecordKind,
  RequestedCarRecord,
} from './record-types.js';
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
  type Rules,
  type RulesOf,
} from './rules.js';

const FEED_PLACE: RulesOf<FeedPlace> = {
  latestActivityAt: nullable(time),
  recordedAt: nullable(time),
};

type Kind = keyof FileRecordTypes;

const YEAR = integer(1886, 2100);
const PART_OF_CAR = nullable(text(200));
const NOT_STORED = { column: null };

/**
 * The rules of each kind of record, in the order of the foreign keys. Columns have the same names
 * as the keys.
 */
const RULES: { readonly [K in Kind]: RulesOf<FileRecordTypes[K]> } = {
  buyer: {
    id,
    changesGranted: nullable(flag, { absent: false }),
  },
  dealership: {
    id,
    name: visibleText(300, 1),
    phone: nullable(text(200)),
    email: nullable(text(320)),
    website: nullable(text(2048)),
    verifiedPartner: nullable(flag),
  },
  session: {
    id,
    buyerId: id,
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
    expiresAt: nullable(time),
  },
  dealSet: {
    id,
    buyerId: id,
    car: nestedObject<RequestedCarRecord>('car_', {
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
    ...FEED_PLACE,
  },
  priceCheck: {
    id,
    buyerId: id,
    dealSetId: nullable(id),
    dealershipId: id,
    listing: nestedObject<ListingRecord>('listing_', {
      year: nullable(YEAR),
      make: PART_OF_CAR,
      model: PART_OF_CAR,
      trim: PART_OF_CAR,
      exteriorColor: PART_OF_CAR,
      mileage: nullable(integer(0, 9_999_999)),
      listedAtCents: nullable(safeInteger),
      vin: nullable(text(64), NOT_STORED),
      url: nullable(text(2048), NOT_STORED),
      imageUrl: nullable(text(2048), NOT_STORED),
    }),
    distanceMiles: nullable(miles),
    requestedAt: time,
    answer: nullable(oneOf(CAR_ANSWERS)),
    price: nullable(
      nestedObject<PriceRecord>('', {
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
    ...FEED_PLACE,
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
  reply: {
    id,
    priceCheckId: id,
    receivedAt: time,
    arrivedAt: nullable(time, { column: 'feed_at' }),
  },
  erasedBuyer: {
    idSha256: sha256,
  },
  end: {
    records: safeInteger,
  },
};

/** The rules of every kind's keys. */
export const ALL_RULES: Readonly<Record<Kind, Rules>> = RULES;
/** The names of all kinds, in the order of the foreign keys. */
export const ALL_KINDS = Object.keys(RULES) as readonly Kind[];
/** The kinds that describe data, in the order of the foreign keys. */
export const RECORD_KINDS = ALL_KINDS.filter(
  (kind): kind is RecordKind => kind !== 'erasedBuyer' && kind !== 'end',
);
/** The kinds that belong to a price check; their records do not contain the buyer's id. */
export const THREAD_KINDS = ['question', 'draft', 'reply'] as const satisfies RecordKind[];

/** Checks a record by the rules of its kind, and returns the first broken rule of each key. */
export const checkRecord = checksOf(ALL_RULES);
