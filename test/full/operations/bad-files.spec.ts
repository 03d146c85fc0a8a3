import { gzipSync } from 'node:zlib';
import { importFile } from '../../../src/operations/import/import-file.js';
import { ImportRejectedError } from '../../../src/operations/import/records/problems.js';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  load,
  ndjson,
  priceCheck,
  question,
  session,
  written,
} from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';
const [anna, ben] = [buyer(), buyer()];
const shop = dealership({ name: 'Kings Toyota' });
const keys = { buyerId: anna.id, dealershipId: shop.id };
const set = dealSet({ buyerId: anna.id });
const row = priceCheck({ ...keys, dealSetId: set.id });
const check = priceCheck(keys);
const ofCheck = { priceCheckId: check.id };

/** The line of a record, changed. */
const line = (record: object, from: string | RegExp = '', to = ''): string =>
  JSON.stringify(record).replace(from, to);
const without = (record: object, key: string): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

const JSON_REASON = 'must be valid JSON, one JSON object on each line';
const NOT_UTF_8 =
  'must be text in UTF-8: save the file with this encoding, and unpack a compressed file first';
const TIME_REASON = 'must be an ISO 8601 time with a zone, such as 2026-05-04T12:30:00Z';
const CENTS =
  'must be an integer in US cents from 0 to 9007199254740991, such as 4112345 for $41,123.45';

/** Each file, and a message from which its mistake can be found and corrected. */
const FILES: readonly (readonly [
  what: string,
  file: string | Buffer | object[],
  message: string,
])[] = [
  ['a comma after an object', `${line(ben)},`, JSON_REASON],
  ['typographic quotes', line(ben, '"record"', '“record”'), JSON_REASON],
  ['single quotes', `{'record':'end','records':0}`, JSON_REASON],
  ['a line that is cut off', line(ben).slice(0, -1), JSON_REASON],
  ['a trailing comma', line(ben, '}', ',}'), JSON_REASON],
  ['a ZIP code as a number', line({ ...set, buyerZip: 'Z' }, '"Z"', '07001'), JSON_REASON],
  ["Python's None", line({ ...ben, changesGranted: 'N' }, '"N"', 'None'), JSON_REASON],
  ['a quote in a text', line(dealership({ name: 'A?B' }), '?', '"'), JSON_REASON],
  ['a tab in a text', line(dealership({ name: 'A?B' }), '?', '\t'), JSON_REASON],
  ['CSV', 'record,id\nbuyer,1\n', JSON_REASON],
  [
    'an array',
    [[ben]],
    'must be one JSON object on each line, not an array and not pretty-printed',
  ],
  [
    'a pretty-printed object',
    JSON.stringify(ben, null, 2),
    'must be one JSON object on each line, not an array and not pretty-printed',
  ],
  ['gzip', gzipSync(line(ben)), NOT_UTF_8],
  ['UTF-16 of PowerShell', Buffer.from(`\ufeff${line(ben)}`, 'utf16le'), NOT_UTF_8],
  ['UTF-16 without a byte order mark', Buffer.from(line(ben), 'utf16le'), NOT_UTF_8],
  ['Latin-1', Buffer.from(line(dealership({ name: 'Citroën' })), 'latin1'), NOT_UTF_8],
  [
    'an unknown record',
    [{ ...ben, record: 'deal_set' }],
    'record: must be one of buyer, dealership, session, grant, dealSet, priceCheck, question, draft, reply, erasedBuyer, end',
  ],
  [
    'a key that does not exist',
    [{ ...ben, name: 'Ben' }],
    'buyer.name: is not a key of this record',
  ],
  [
    'a key with a blank',
    [{ ...ben, 'id ': ben.id }],
    'buyer."id ": is not a key of this record: write id',
  ],
  [
    'a key in another spelling',
    [{ ...set, dealers_found: 3 }],
    'dealSet.dealers_found: is not a key of this record: write dealersFound',
  ],
  ['a key that is missing', [without(set, 'createdAt')], 'dealSet.createdAt: is missing'],
  [
    'a key that is there twice',
    line(ben, '{', `{"id":"${UNKNOWN}",`),
    'must not have a key twice (id)',
  ],
  ['an id that is no UUID', [{ ...ben, id: '17' }], 'buyer.id: must be a UUID'],
  [
    'a price in dollars',
    [{ ...check, price: { otdCents: 41123.45 } }],
    `priceCheck.price.otdCents: ${CENTS}`,
  ],
  [
    'a price as text',
    [{ ...check, price: { otdCents: '4112345' } }],
    `priceCheck.price.otdCents: ${CENTS}`,
  ],
  [
    'a time without a zone',
    [{ ...set, createdAt: '2026-03-01T09:00:00' }],
    `dealSet.createdAt: ${TIME_REASON}`,
  ],
  [
    'a day that does not exist',
    [{ ...set, createdAt: '2026-02-30T09:00:00Z' }],
    `dealSet.createdAt: ${TIME_REASON}`,
  ],
  [
    'a year of two digits',
    [{ ...set, car: { ...set.car, year: 26 } }],
    'dealSet.car.year: must be an integer from 1886 to 2100',
  ],
  [
    'a cookie in place of its hash',
    [session({ buyerId: ben.id, tokenSha256: 'a cookie' })],
    'session.tokenSha256: must be a SHA-256 hash as 64 hex digits',
  ],
  ['a name of blanks', [{ ...shop, name: ' ' }], 'dealership.name: must not be blank'],
  [
    'a wrong word',
    [{ ...check, ended: 'closed' }],
    'priceCheck.ended: must be one of sold, closed_with_price, no_price, timed_out',
  ],
  [
    'an end without its kind',
    [{ ...check, endedAt: '2026-03-01T09:00:00Z' }],
    'priceCheck.endedAt: requires `ended`, which states how the price check ended',
  ],
  [
    'the time of a deal set on its row',
    [{ ...row, latestActivityAt: '2026-03-01T09:00:00Z' }],
    "priceCheck.latestActivityAt: must be absent beside `dealSetId`: the deal set's record has this key",
  ],
  [
    'no price although there is one',
    [{ ...check, ended: 'no_price', ...written(5) }],
    'priceCheck.ended: is no_price although there is a price in writing for the same car',
  ],
  [
    'a buyer who does not exist',
    [{ ...check, buyerId: UNKNOWN }],
    'priceCheck.buyerId: is not the id of a buyer in this file or in the database',
  ],
  [
    "another buyer's deal set",
    [priceCheck({ ...keys, buyerId: ben.id, dealSetId: set.id })],
    "priceCheck.dealSetId: is another buyer's deal set",
  ],
  [
    'an id that is taken',
    [{ ...set, buyerId: ben.id }],
    'dealSet.id: belongs to another buyer (in the database)',
  ],
  [
    'a second approval',
    [grant({ buyerId: ben.id }), grant({ buyerId: ben.id })],
    'grant.clientId: already has a grant of this buyer that is neither revoked nor expired (in line 1)',
  ],
  [
    'a code that is a sentence',
    [question({ ...ofCheck, promptId: 'trade in?' })],
    'question.promptId: must be 1 to 64 characters of A-Z a-z 0-9 _ . : -',
  ],
  [
    'a file that is cut off',
    `${line(ben)}\n{"record":"end","records":2}`,
    'end.records: must be 1, the number of records before it; the file may be incomplete',
  ],
];

describe('the message about a bad file', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [anna, ben, shop, set, row, check]);
  });
  afterAll(() => database.drop());

  it.each(FILES)('names the mistake: %s', async (_what, file, message) => {
    const bytes = Buffer.isBuffer(file)
      ? file
      : Buffer.from(Array.isArray(file) ? ndjson(file) : file);
    const error: unknown = await importFile(database.client, [bytes]).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ImportRejectedError);
    const { problems } = error as ImportRejectedError;
    expect(problems.map((problem) => problem.replace(/^lines? [\d, and]+: /, ''))).toEqual([
      message,
    ]);
  });
});
