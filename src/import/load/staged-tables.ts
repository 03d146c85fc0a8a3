import type { RecordKind, RecordTypes } from '../records/record-kinds.js';
import type { Column, ColumnType, StagedTable } from './staged-table.js';

function column<R>(name: string, type: ColumnType, value: Column<R>['value']): Column<R> {
  return { name, type, value };
}

function table<K extends RecordKind>(
  name: string,
  key: readonly string[],
  columns: readonly Column<RecordTypes[K]>[],
  aside: readonly Column<RecordTypes[K]>[] = [],
): StagedTable<RecordTypes[K]> {
  return { table: name, staging: `staged_${name}`, key, columns, aside };
}

const OWNED = ['buyer_id', 'id'];

/** A thread's records do not name their buyer: she is found through the price check. */
const unresolvedBuyer = { name: 'buyer_id', type: 'uuid', value: () => null } as const;

/** Every kind of record with its table. The order is that of the foreign keys. */
export const STAGED_TABLES: { readonly [K in RecordKind]: StagedTable<RecordTypes[K]> } = {
  buyer: table<'buyer'>(
    'buyer',
    ['id'],
    [
      column('id', 'uuid', (r) => r.id),
      column('changes_granted', 'boolean', (r) => r.changesGranted ?? false),
    ],
  ),
  dealership: table<'dealership'>(
    'dealership',
    ['id'],
    [
      column('id', 'uuid', (r) => r.id),
      column('name', 'text', (r) => r.name),
      column('phone', 'text', (r) => r.phone),
      column('email', 'text', (r) => r.email),
      column('website', 'text', (r) => r.website),
      column('verified_partner', 'boolean', (r) => r.verifiedPartner),
    ],
  ),
  session: table<'session'>('buyer_session', OWNED, [
    column('buyer_id', 'uuid', (r) => r.buyerId),
    column('id', 'uuid', (r) => r.id),
    column('token_sha256', 'bytea', (r) => r.tokenSha256),
    column('expires_at', 'timestamptz', (r) => r.expiresAt),
    column('revoked_at', 'timestamptz', (r) => r.revokedAt),
  ]),
  grant: table<'grant'>('assistant_grant', OWNED, [
    column('buyer_id', 'uuid', (r) => r.buyerId),
    column('id', 'uuid', (r) => r.id),
    column('client_id', 'text', (r) => r.clientId),
    column('scopes', 'text[]', (r) => r.scopes),
    column('is_hosted', 'boolean', (r) => r.hosted ?? false),
    column('granted_at', 'timestamptz', (r) => r.grantedAt),
    column('revoked_at', 'timestamptz', (r) => r.revokedAt),
  ]),
  dealSet: table<'dealSet'>(
    'deal_set',
    OWNED,
    [
      column('buyer_id', 'uuid', (r) => r.buyerId),
      column('id', 'uuid', (r) => r.id),
      column('car_year', 'integer', (r) => r.car.year),
      column('car_make', 'text', (r) => r.car.make),
      column('car_model', 'text', (r) => r.car.model),
      column('car_trim', 'text', (r) => r.car.trim),
      column('car_exterior_color', 'text', (r) => r.car.exteriorColor),
      column('car_interior_color', 'text', (r) => r.car.interiorColor),
      column('car_drivetrain', 'text', (r) => r.car.drivetrain),
      column('car_powertrain', 'text', (r) => r.car.powertrain),
      column('buyer_zip', 'text', (r) => r.buyerZip),
      column('radius_miles', 'double precision', (r) => r.radiusMiles),
      column('dealers_found', 'integer', (r) => r.dealersFound),
      column('created_at', 'timestamptz', (r) => r.createdAt),
      column('ended_at', 'timestamptz', (r) => r.endedAt),
    ],
    [column('latest_activity_at', 'timestamptz', (r) => r.latestActivityAt)],
  ),
  priceCheck: table<'priceCheck'>(
    'price_check',
    OWNED,
    [
      column('buyer_id', 'uuid', (r) => r.buyerId),
      column('id', 'uuid', (r) => r.id),
      column('deal_set_id', 'uuid', (r) => r.dealSetId),
      column('dealership_id', 'uuid', (r) => r.dealershipId),
      column('listing_year', 'integer', (r) => r.listing.year),
      column('listing_make', 'text', (r) => r.listing.make),
      column('listing_model', 'text', (r) => r.listing.model),
      column('listing_trim', 'text', (r) => r.listing.trim),
      column('listing_exterior_color', 'text', (r) => r.listing.exteriorColor),
      column('listing_mileage', 'integer', (r) => r.listing.mileage),
      column('listing_listed_at_cents', 'bigint', (r) => r.listing.listedAtCents),
      column('listing_vin', 'text', (r) => r.listing.vin),
      column('listing_url', 'text', (r) => r.listing.url),
      column('listing_image_url', 'text', (r) => r.listing.imageUrl),
      column('distance_miles', 'double precision', (r) => r.distanceMiles),
      column('requested_at', 'timestamptz', (r) => r.requestedAt),
      column('answer', 'text', (r) => r.answer),
      column('otd_cents', 'bigint', (r) => r.price?.otdCents),
      column('selling_price_cents', 'bigint', (r) => r.price?.sellingPriceCents),
      column('written_at', 'timestamptz', (r) => r.price?.writtenAt),
      column('finished_at', 'timestamptz', (r) => r.finishedAt),
      column('ended', 'text', (r) => r.ended),
      column('ended_at', 'timestamptz', (r) => r.endedAt),
      column('unlocked_at', 'timestamptz', (r) => r.unlockedAt),
      column('chosen_at', 'timestamptz', (r) => r.chosenAt),
      column('archived_at', 'timestamptz', (r) => r.archivedAt),
    ],
    [column('latest_activity_at', 'timestamptz', (r) => r.latestActivityAt)],
  ),
  question: table<'question'>('question', OWNED, [
    unresolvedBuyer,
    column('id', 'uuid', (r) => r.id),
    column('price_check_id', 'uuid', (r) => r.priceCheckId),
    column('prompt_id', 'text', (r) => r.promptId),
    column('category', 'text', (r) => r.category),
    column('text', 'text', (r) => r.text),
    column('answer_mode', 'text', (r) => r.answerMode),
    column('otd_cents', 'bigint', (r) => r.otdCents),
    column('asked_at', 'timestamptz', (r) => r.askedAt),
    column('answered_at', 'timestamptz', (r) => r.answeredAt),
  ]),
  draft: table<'draft'>('draft', OWNED, [
    unresolvedBuyer,
    column('id', 'uuid', (r) => r.id),
    column('price_check_id', 'uuid', (r) => r.priceCheckId),
    column('body', 'text', (r) => r.body),
    column('created_at', 'timestamptz', (r) => r.createdAt),
    column('resolved_at', 'timestamptz', (r) => r.resolvedAt),
  ]),
  reply: table<'reply'>('reply', OWNED, [
    unresolvedBuyer,
    column('id', 'uuid', (r) => r.id),
    column('price_check_id', 'uuid', (r) => r.priceCheckId),
    column('received_at', 'timestamptz', (r) => r.receivedAt),
  ]),
};
