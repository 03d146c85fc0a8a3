import { z } from 'zod';
import { CAR_ANSWERS, ENDINGS } from '../../../kernel/price-check-values.js';
import {
  cents,
  clientId,
  feedTime,
  flag,
  integer,
  miles,
  object,
  oneOf,
  plainName,
  sha256,
  storage,
  text,
  textList,
  time,
  token,
  uuid,
  visibleText,
  wordToken,
  zip,
} from './values.js';

const year = integer(1886, 2100);
const partOfCar = text(200).nullish();
const notStored = (max: number) =>
  text(max).nullish().describe('accepted, but not stored').register(storage, { column: null });

const AHEAD = "at most 60 s ahead of the database's clock";
/** The stamp of a request in the feed. */
const LATEST_ACTIVITY = feedTime
  .nullish()
  .describe(
    'time of the newest change, not in the future; see [Live and backfill](#live-and-backfill)',
  );
const RECORDED = feedTime
  .nullish()
  .describe(
    'time by which a backfill sorts the request if `latestActivityAt` is unknown; `export` writes it',
  );
const AS_OF_DEAL_SET = 'as for a deal set; only on a request to a single dealership';
const WHILE_HIDDEN =
  'what the buyer may read while the dealership is hidden; absent or null: nothing';

const BESIDE_DEAL_SET = "must be absent beside `dealSetId`: the deal set's record has this key";

/**
 * A rule that relates several keys: the key and the reason that are reported. It is checked when
 * every key is valid by itself, so that no mistake is reported that follows from another one.
 */
function otherwise(key: string, reason: string): z.core.$ZodCustomParams {
  return { path: [key], error: reason, when: ({ issues }) => issues.length === 0 };
}

/**
 * The records of every kind, in the order of the foreign keys. Each is declared here alone: types,
 * checks, columns, `import --schema` and the tables of `docs/import-format.md` follow from it. A
 * column has the name of its key unless `storage` names another. A key that may be absent may also
 * be null.
 */
export const RECORDS = {
  buyer: object({
    id: uuid,
    changesGranted: flag
      .nullish()
      .describe("whether this buyer's assistants get `changes` when they poll; default: `false`")
      .register(storage, { absent: false }),
  }),
  dealership: object({
    id: uuid,
    name: plainName.describe(
      'without control characters, marks of direction, HTML entities and tags',
    ),
    phone: text(200).nullish(),
    email: text(320).nullish(),
    website: text(2048).nullish(),
    verifiedPartner: flag.nullish().describe('absent or null: unknown'),
  }),
  session: object({
    id: uuid,
    buyerId: uuid,
    tokenSha256: sha256.describe("SHA-256 hash of the cookie's value; unique among sessions"),
    expiresAt: time,
    revokedAt: time.nullish(),
  }),
  grant: object({
    id: uuid,
    buyerId: uuid,
    clientId: clientId.describe("the assistant's id"),
    scopes: textList(100, 200).describe('such as `["offers:read"]`'),
    hosted: flag
      .nullish()
      .describe('whether the assistant runs on a server of its provider; default: `false`')
      .register(storage, { column: 'is_hosted', absent: false }),
    grantedAt: time.describe(`when the buyer approved the assistant; ${AHEAD}`),
    revokedAt: time.nullish(),
    expiresAt: time.nullish().describe('when the approval ends by itself'),
  }),
  dealSet: object({
    id: uuid,
    buyerId: uuid,
    car: object({
      year,
      make: visibleText(200),
      model: visibleText(200),
      trim: partOfCar,
      exteriorColor: partOfCar,
      interiorColor: partOfCar,
      drivetrain: partOfCar,
      powertrain: partOfCar,
    })
      .describe('the car that the buyer requested')
      .register(storage, { prefix: 'car_' }),
    buyerZip: zip.nullish(),
    radiusMiles: miles.nullish(),
    dealersFound: integer(0, 2_147_483_647).nullish().describe('dealerships that the search found'),
    createdAt: time,
    endedAt: time.nullish(),
    latestActivityAt: LATEST_ACTIVITY,
    recordedAt: RECORDED,
  }),
  priceCheck: object({
    id: uuid,
    buyerId: uuid.describe("the deal set's buyer"),
    dealSetId: uuid.nullish().describe('absent for a request to a single dealership'),
    dealershipId: uuid,
    listing: object({
      year: year.nullish(),
      make: partOfCar,
      model: partOfCar,
      trim: partOfCar,
      exteriorColor: partOfCar,
      mileage: integer(0, 9_999_999).nullish(),
      listedAtCents: cents.nullish(),
      vin: notStored(64),
      url: notStored(2048),
      imageUrl: notStored(2048),
    })
      .describe("the car in the website's words, as its catalogue has them; may be empty")
      .register(storage, { prefix: 'listing_' }),
    distanceMiles: miles.nullish(),
    requestedAt: time,
    answer: oneOf(CAR_ANSWERS).nullish().describe('whether the offer is for the listed car'),
    price: object({
      otdCents: cents.describe('the out-the-door price'),
      sellingPriceCents: cents.nullish(),
      writtenAt: time
        .nullish()
        .describe('absent or null: the price is not in writing, and it is not shown'),
    }).nullish(),
    finishedAt: time.nullish().describe('when the dealership finished its offer and sent it'),
    ended: oneOf(ENDINGS)
      .nullish()
      .describe(
        '`closed_with_price` requires a price in writing; `no_price` is rejected with one, unless `answer` is `different_car`',
      ),
    endedAt: time.nullish().describe('requires `ended`'),
    unlockedAt: time.nullish().describe(AHEAD),
    chosenAt: time.nullish().describe(AHEAD),
    archivedAt: time.nullish(),
    latestActivityAt: feedTime.nullish().describe(AS_OF_DEAL_SET),
    recordedAt: feedTime.nullish().describe(AS_OF_DEAL_SET),
  })
    .refine(
      ({ dealSetId, latestActivityAt }) => !dealSetId || !latestActivityAt,
      otherwise('latestActivityAt', BESIDE_DEAL_SET),
    )
    .refine(
      ({ dealSetId, recordedAt }) => !dealSetId || !recordedAt,
      otherwise('recordedAt', BESIDE_DEAL_SET),
    )
    .refine(
      ({ endedAt, ended }) => !endedAt || ended,
      otherwise('endedAt', 'requires `ended`, which states how the price check ended'),
    )
    // The table has the next two as constraints, for writers of SQL.
    .refine(
      ({ ended, price }) => ended !== 'closed_with_price' || price?.writtenAt,
      otherwise('ended', 'is closed_with_price without a price in writing (`writtenAt`)'),
    )
    .refine(
      ({ ended, price, answer }) =>
        ended !== 'no_price' || !price?.writtenAt || answer === 'different_car',
      otherwise('ended', 'is no_price although there is a price in writing for the same car'),
    ),
  question: object({
    id: uuid,
    priceCheckId: uuid,
    promptId: token.nullish(),
    category: wordToken,
    text: text(10_000),
    textWhileHidden: visibleText(10_000).nullish().describe(WHILE_HIDDEN),
    answerMode: wordToken,
    otdCents: cents.nullish(),
    askedAt: time,
    answeredAt: time.nullish().describe('absent or null: the question is open'),
  }),
  draft: object({
    id: uuid,
    priceCheckId: uuid,
    body: text(100_000),
    bodyWhileHidden: visibleText(100_000).nullish().describe(WHILE_HIDDEN),
    createdAt: time,
    resolvedAt: time.nullish().describe('absent or null: the draft waits for the buyer'),
  }),
  reply: object({
    id: uuid,
    priceCheckId: uuid,
    arrivedAt: feedTime
      .nullish()
      .describe(
        'when clients could first read the reply; a backfill uses it for a new request; `export` writes it, and a file with it needs the closing record',
      )
      .register(storage, { column: 'feed_at' }),
    receivedAt: feedTime
      .nullish()
      .describe('in files of earlier versions; read in place of an absent `arrivedAt`')
      .register(storage, { column: null }),
  }),
  erasedBuyer: object({
    idSha256: sha256.describe("SHA-256 hash of the buyer's id as text"),
  }),
  end: object({
    records: integer(0, Number.MAX_SAFE_INTEGER).describe('the number of records before this line'),
  }),
};

/** The kinds of lines, by the name of their `record` key. */
export type FileKind = keyof typeof RECORDS;
/** The kinds of records that describe data. */
export type RecordKind = Exclude<FileKind, 'erasedBuyer' | 'end'>;

/**
 * The records of each kind that describes data, without their `record` key. Ids are UUIDs; times
 * are ISO 8601 strings with a zone. `docs/import-format.md` describes every key.
 */
export type RecordTypes = { [Kind in RecordKind]: z.infer<(typeof RECORDS)[Kind]> };

/** A line of an import file that describes data, as an object. */
export type ImportRecord = {
  [Kind in RecordKind]: { record: Kind } & RecordTypes[Kind];
}[RecordKind];

/** Any line of an import file, including erasures and the closing record. */
export type FileRecord = {
  [Kind in FileKind]: { record: Kind } & z.infer<(typeof RECORDS)[Kind]>;
}[FileKind];

/** The names of all kinds, in the order of the foreign keys. */
export const ALL_KINDS = Object.keys(RECORDS) as readonly FileKind[];
/** The kinds that describe data, in the order of the foreign keys. */
export const RECORD_KINDS = ALL_KINDS.filter(
  (kind): kind is RecordKind => kind !== 'erasedBuyer' && kind !== 'end',
);
/** The kinds that belong to a price check; their records do not contain the buyer's id. */
export const THREAD_KINDS = ['question', 'draft', 'reply'] as const satisfies RecordKind[];
