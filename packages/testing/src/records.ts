/**
 * Builders of import records with sensible defaults, for tests.
 *
 *   const anna = buyer({ changesGranted: true });
 *   const set = dealSet({ buyerId: anna.id });
 *   const fremont = dealership({ name: 'Honda of Fremont' });
 *   const row = priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: fremont.id,
 *                            ...written(3_000_000) });
 *   const { record, cookie } = signIn(anna.id);         // cookie: the value to send
 *   await service.load([anna, set, fremont, row, record, grant({ buyerId: anna.id })]);
 *
 * Every builder accepts the keys of its record (docs/import-format.md) and fills in missing ones:
 * ids are random UUIDs, times are in the past. Ids of other records must be given.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ImportRecord, RecordTypes } from '@deal-sets/service/operations';

type RecordKind = keyof RecordTypes;

/** A record of one kind, in the form of an import file. */
export type Built<K extends RecordKind> = { record: K } & RecordTypes[K];

type Given<K extends RecordKind, Needed extends keyof RecordTypes[K] = never> = Partial<
  RecordTypes[K]
> &
  Pick<RecordTypes[K], Needed>;

/** The listing of a price check, with keys of the import format. */
export const LISTING = { year: 2025, make: 'Honda', model: 'CR-V', trim: 'EX-L', mileage: 1234 };

/** Builds a buyer. */
export function buyer(values: Given<'buyer'> = {}): Built<'buyer'> {
  return { record: 'buyer', id: randomUUID(), ...values };
}

/** Builds a dealership. */
export function dealership(values: Given<'dealership'> = {}): Built<'dealership'> {
  return { record: 'dealership', id: randomUUID(), name: 'Lakeside Motors of Hamilton', ...values };
}

/** Builds a website session that is valid until the year 2999. */
export function session(values: Given<'session', 'buyerId'>): Built<'session'> {
  return {
    record: 'session',
    id: randomUUID(),
    tokenSha256: sha256Hex(randomUUID()),
    expiresAt: '2999-01-01T00:00:00Z',
    ...values,
  };
}

/** Builds a valid session, and returns it with the value of its cookie. */
export function signIn(
  buyerId: string,
  values: Partial<RecordTypes['session']> = {},
): { record: Built<'session'>; cookie: string } {
  const cookie = randomBytes(32).toString('base64url');
  return { record: session({ buyerId, tokenSha256: sha256Hex(cookie), ...values }), cookie };
}

/** Builds a grant of the scope `offers:read` to `assistant-1`. */
export function grant(values: Given<'grant', 'buyerId'>): Built<'grant'> {
  return {
    record: 'grant',
    id: randomUUID(),
    clientId: 'assistant-1',
    scopes: ['offers:read'],
    grantedAt: '2026-01-01T00:00:00Z',
    ...values,
  };
}

/** Builds a deal set without price checks. */
export function dealSet(values: Given<'dealSet', 'buyerId'>): Built<'dealSet'> {
  return {
    record: 'dealSet',
    id: randomUUID(),
    car: { year: 2025, make: 'Honda', model: 'CR-V' },
    buyerZip: '45202',
    radiusMiles: 100,
    createdAt: '2026-01-02T00:00:00Z',
    ...values,
  };
}

/** Builds a price check. Without `dealSetId` it is a request to a single dealership. */
export function priceCheck(
  values: Given<'priceCheck', 'buyerId' | 'dealershipId'>,
): Built<'priceCheck'> {
  return {
    record: 'priceCheck',
    id: randomUUID(),
    listing: LISTING,
    distanceMiles: 12.5,
    requestedAt: '2026-01-02T00:00:00Z',
    ...values,
  };
}

/** Returns the keys of a price check whose price for the requested car is in writing. */
export function written(
  otdCents: number,
  writtenAt = '2026-01-03T00:00:00Z',
): Pick<RecordTypes['priceCheck'], 'answer' | 'price'> {
  return { answer: 'same_car', price: { otdCents, writtenAt } };
}

/** Builds an open question about a trade-in. */
export function question(values: Given<'question', 'priceCheckId'>): Built<'question'> {
  return {
    record: 'question',
    id: randomUUID(),
    category: 'trade_in',
    text: 'Do you have a car to trade in?',
    answerMode: 'text',
    askedAt: '2026-01-04T00:00:00Z',
    ...values,
  };
}

/** Builds an open draft. */
export function draft(values: Given<'draft', 'priceCheckId'>): Built<'draft'> {
  return {
    record: 'draft',
    id: randomUUID(),
    body: 'Thank you. Could you confirm the fees?',
    createdAt: '2026-01-04T00:00:00Z',
    ...values,
  };
}

/** Builds a reply of the dealership. */
export function reply(values: Given<'reply', 'priceCheckId'>): Built<'reply'> {
  return { record: 'reply', id: randomUUID(), ...values };
}

/** Formats records as the text of an import file. */
export function ndjson(records: readonly (ImportRecord | object)[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Returns the SHA-256 of a text in hexadecimal. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
