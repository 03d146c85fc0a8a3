import { CAR_ANSWERS, ENDINGS } from '../../kernel/price-check-values.js';
import {
  cents,
  clientId,
  flag,
  integer,
  miles,
  nestedObject,
  oneOf,
  optional,
  plainName,
  required,
  sha256,
  text,
  textList,
  time,
  token,
  uuid,
  visibleText,
  wordToken,
  zip,
  type ObjectOf,
  type Rules,
} from './rules.js';

const id = required(uuid);
const buyerId = required(uuid);
const year = integer(1886, 2100);
const partOfCar = optional(text(200));
const NOT_STORED = { column: null };
const UNSTORED = 'accepted, but not stored';

/** The stamp of a request in the feed. */
const FEED_STAMP = {
  latestActivityAt: optional(
    time,
    'time of the newest change, not in the future; see [Live and backfill](#live-and-backfill)',
  ),
  recordedAt: optional(
    time,
    'time by which a backfill sorts the request if `latestActivityAt` is unknown; `export` writes it',
  ),
};

/**
 * The records of every kind, in the order of the foreign keys. Each is declared here alone: types,
 * checks, columns, `import --schema` and the tables of `docs/import-format.md` follow from it. A
 * column has the name of its key unless the rule names another.
 */
export const RECORDS = {
  buyer: {
    id,
    changesGranted: optional(
      flag,
      "whether this buyer's assistants get `changes` when they poll; default: `false`",
      { absent: false },
    ),
  },
  dealership: {
    id,
    name: required(
      plainName,
      'without control characters, marks of direction, HTML entities and tags',
    ),
    phone: optional(text(200)),
    email: optional(text(320)),
    website: optional(text(2048)),
    verifiedPartner: optional(flag, 'absent or null: unknown'),
  },
  session: {
    id,
    buyerId,
    tokenSha256: required(sha256, "SHA-256 hash of the cookie's value; unique among sessions"),
    expiresAt: required(time),
    revokedAt: optional(time),
  },
  grant: {
    id,
    buyerId,
    clientId: required(clientId, "the assistant's id"),
    scopes: required(textList(100, 200), 'such as `["offers:read"]`'),
    hosted: optional(
      flag,
      'whether the assistant runs on a server of its provider; default: `false`',
      { column: 'is_hosted', absent: false },
    ),
    grantedAt: required(
      time,
      "when the buyer approved the assistant; at most 60 s ahead of the database's clock",
    ),
    revokedAt: optional(time),
    expiresAt: optional(time, 'when the approval ends by itself'),
  },
  dealSet: {
    id,
    buyerId,
    car: required(
      nestedObject('car_', {
        year: required(year),
        make: required(visibleText(200)),
        model: required(visibleText(200)),
        trim: partOfCar,
        exteriorColor: partOfCar,
        interiorColor: partOfCar,
        drivetrain: partOfCar,
        powertrain: partOfCar,
      }),
      'the car that the buyer requested',
    ),
    buyerZip: optional(zip),
    radiusMiles: optional(miles),
    dealersFound: optional(integer(0, 2_147_483_647), 'dealerships that the search found'),
    createdAt: required(time),
    endedAt: optional(time),
    ...FEED_STAMP,
  },
  priceCheck: {
    id,
    buyerId: required(uuid, "the deal set's buyer"),
    dealSetId: optional(uuid, 'absent for a request to a single dealership'),
    dealershipId: required(uuid),
    listing: required(
      nestedObject('listing_', {
        year: optional(year),
        make: partOfCar,
        model: partOfCar,
        trim: partOfCar,
        exteriorColor: partOfCar,
        mileage: optional(integer(0, 9_999_999)),
        listedAtCents: optional(cents),
        vin: optional(text(64), UNSTORED, NOT_STORED),
        url: optional(text(2048), UNSTORED, NOT_STORED),
        imageUrl: optional(text(2048), UNSTORED, NOT_STORED),
      }),
      "the car in the website's words, as its catalogue has them; may be empty",
    ),
    distanceMiles: optional(miles),
    requestedAt: required(time),
    answer: optional(oneOf(CAR_ANSWERS), 'whether the offer is for the listed car'),
    price: optional(
      nestedObject('', {
        otdCents: required(cents, 'the out-the-door price'),
        sellingPriceCents: optional(cents),
        writtenAt: optional(
          time,
          'absent or null: the price is not in writing, and it is not shown',
        ),
      }),
    ),
    finishedAt: optional(time, 'when the dealership finished its offer and sent it'),
    ended: optional(
      oneOf(ENDINGS),
      '`closed_with_price` requires a price in writing; `no_price` is rejected with one, unless `answer` is `different_car`',
    ),
    endedAt: optional(time, 'requires `ended`'),
    unlockedAt: optional(time, "at most 60 s ahead of the database's clock"),
    chosenAt: optional(time, "at most 60 s ahead of the database's clock"),
    archivedAt: optional(time),
    latestActivityAt: optional(time, 'as for a deal set; only on a request to a single dealership'),
    recordedAt: optional(time, 'as for a deal set; only on a request to a single dealership'),
  },
  question: {
    id,
    priceCheckId: required(uuid),
    promptId: optional(token),
    category: required(wordToken),
    text: required(text(10_000)),
    textWhileHidden: optional(
      visibleText(10_000),
      'what the buyer may read while the dealership is hidden; absent or null: nothing',
    ),
    answerMode: required(wordToken),
    otdCents: optional(cents),
    askedAt: required(time),
    answeredAt: optional(time, 'absent or null: the question is open'),
  },
  draft: {
    id,
    priceCheckId: required(uuid),
    body: required(text(100_000)),
    bodyWhileHidden: optional(
      visibleText(100_000),
      'what the buyer may read while the dealership is hidden; absent or null: nothing',
    ),
    createdAt: required(time),
    resolvedAt: optional(time, 'absent or null: the draft waits for the buyer'),
  },
  reply: {
    id,
    priceCheckId: required(uuid),
    arrivedAt: optional(
      time,
      'when clients could first read the reply; a backfill uses it for a new request; `export` writes it, and a file with it needs the closing record',
      { column: 'feed_at' },
    ),
    receivedAt: optional(
      time,
      'in files of earlier versions; read in place of an absent `arrivedAt`',
      NOT_STORED,
    ),
  },
  erasedBuyer: {
    idSha256: required(sha256, "SHA-256 hash of the buyer's id as text"),
  },
  end: {
    records: required(
      integer(0, Number.MAX_SAFE_INTEGER),
      'the number of records before this line',
    ),
  },
} satisfies Record<string, Rules>;

/** The kinds of lines, by the name of their `record` key. */
export type FileKind = keyof typeof RECORDS;
/** The kinds of records that describe data. */
export type RecordKind = Exclude<FileKind, 'erasedBuyer' | 'end'>;

/**
 * The records of each kind that describes data, without their `record` key. Ids are UUIDs; times
 * are ISO 8601 strings with a zone. `docs/import-format.md` describes every key.
 */
export type RecordTypes = { [Kind in RecordKind]: ObjectOf<(typeof RECORDS)[Kind]> };

/** A line of an import file that describes data, as an object. */
export type ImportRecord = {
  [Kind in RecordKind]: { record: Kind } & RecordTypes[Kind];
}[RecordKind];

/** Any line of an import file, including erasures and the closing record. */
export type FileRecord = {
  [Kind in FileKind]: { record: Kind } & ObjectOf<(typeof RECORDS)[Kind]>;
}[FileKind];

/** The rules of every kind's keys. */
export const ALL_RULES: Readonly<Record<FileKind, Rules>> = RECORDS;
/** The names of all kinds, in the order of the foreign keys. */
export const ALL_KINDS = Object.keys(RECORDS) as readonly FileKind[];
/** The kinds that describe data, in the order of the foreign keys. */
export const RECORD_KINDS = ALL_KINDS.filter(
  (kind): kind is RecordKind => kind !== 'erasedBuyer' && kind !== 'end',
);
/** The kinds that belong to a price check; their records do not contain the buyer's id. */
export const THREAD_KINDS = ['question', 'draft', 'reply'] as const satisfies RecordKind[];
