import {
  AssistantGrant,
  Buyer,
  BuyerSession,
  DealSet,
  Dealership,
  Draft,
  PriceCheck,
  Question,
  Reply,
} from '../../database/entities/entities.js';
import type { RecordKind, RecordTypes } from '../records/record-kinds.js';
import { stagedTable, type Column, type StagedTable } from './staged-table.js';

/** A thread's records do not name their buyer: she is found through the price check. */
const unresolvedBuyer = (): null => null;

const latestActivityAt: Column<{ readonly latestActivityAt?: string | null }> = {
  name: 'latest_activity_at',
  type: 'timestamptz',
  value: (r) => r.latestActivityAt,
};

/**
 * Every kind of record with its table: for each property of the entity that is inserted, its value in the
 * record. Names and types of the columns are the entity's. The order is that of the foreign keys.
 */
export const STAGED_TABLES: { readonly [K in RecordKind]: StagedTable<RecordTypes[K]> } = {
  buyer: stagedTable<Buyer, RecordTypes['buyer']>(Buyer, {
    id: (r) => r.id,
    changesGranted: (r) => r.changesGranted ?? false,
  }),
  dealership: stagedTable<Dealership, RecordTypes['dealership']>(Dealership, {
    id: (r) => r.id,
    name: (r) => r.name,
    phone: (r) => r.phone,
    email: (r) => r.email,
    website: (r) => r.website,
    verifiedPartner: (r) => r.verifiedPartner,
  }),
  session: stagedTable<BuyerSession, RecordTypes['session']>(BuyerSession, {
    buyerId: (r) => r.buyerId,
    id: (r) => r.id,
    tokenSha256: (r) => r.tokenSha256,
    expiresAt: (r) => r.expiresAt,
    revokedAt: (r) => r.revokedAt,
  }),
  grant: stagedTable<AssistantGrant, RecordTypes['grant']>(AssistantGrant, {
    buyerId: (r) => r.buyerId,
    id: (r) => r.id,
    clientId: (r) => r.clientId,
    scopes: (r) => r.scopes,
    isHosted: (r) => r.hosted ?? false,
    grantedAt: (r) => r.grantedAt,
    revokedAt: (r) => r.revokedAt,
  }),
  dealSet: stagedTable<DealSet, RecordTypes['dealSet']>(
    DealSet,
    {
      buyerId: (r) => r.buyerId,
      id: (r) => r.id,
      carYear: (r) => r.car.year,
      carMake: (r) => r.car.make,
      carModel: (r) => r.car.model,
      carTrim: (r) => r.car.trim,
      carExteriorColor: (r) => r.car.exteriorColor,
      carInteriorColor: (r) => r.car.interiorColor,
      carDrivetrain: (r) => r.car.drivetrain,
      carPowertrain: (r) => r.car.powertrain,
      buyerZip: (r) => r.buyerZip,
      radiusMiles: (r) => r.radiusMiles,
      dealersFound: (r) => r.dealersFound,
      createdAt: (r) => r.createdAt,
      endedAt: (r) => r.endedAt,
    },
    [latestActivityAt],
  ),
  priceCheck: stagedTable<PriceCheck, RecordTypes['priceCheck']>(
    PriceCheck,
    {
      buyerId: (r) => r.buyerId,
      id: (r) => r.id,
      dealSetId: (r) => r.dealSetId,
      dealershipId: (r) => r.dealershipId,
      listingYear: (r) => r.listing.year,
      listingMake: (r) => r.listing.make,
      listingModel: (r) => r.listing.model,
      listingTrim: (r) => r.listing.trim,
      listingExteriorColor: (r) => r.listing.exteriorColor,
      listingMileage: (r) => r.listing.mileage,
      listingListedAtCents: (r) => r.listing.listedAtCents,
      listingVin: (r) => r.listing.vin,
      listingUrl: (r) => r.listing.url,
      listingImageUrl: (r) => r.listing.imageUrl,
      distanceMiles: (r) => r.distanceMiles,
      requestedAt: (r) => r.requestedAt,
      answer: (r) => r.answer,
      otdCents: (r) => r.price?.otdCents,
      sellingPriceCents: (r) => r.price?.sellingPriceCents,
      writtenAt: (r) => r.price?.writtenAt,
      finishedAt: (r) => r.finishedAt,
      ended: (r) => r.ended,
      endedAt: (r) => r.endedAt,
      unlockedAt: (r) => r.unlockedAt,
      chosenAt: (r) => r.chosenAt,
      archivedAt: (r) => r.archivedAt,
    },
    [latestActivityAt],
  ),
  question: stagedTable<Question, RecordTypes['question']>(Question, {
    buyerId: unresolvedBuyer,
    id: (r) => r.id,
    priceCheckId: (r) => r.priceCheckId,
    promptId: (r) => r.promptId,
    category: (r) => r.category,
    text: (r) => r.text,
    answerMode: (r) => r.answerMode,
    otdCents: (r) => r.otdCents,
    askedAt: (r) => r.askedAt,
    answeredAt: (r) => r.answeredAt,
  }),
  draft: stagedTable<Draft, RecordTypes['draft']>(Draft, {
    buyerId: unresolvedBuyer,
    id: (r) => r.id,
    priceCheckId: (r) => r.priceCheckId,
    body: (r) => r.body,
    createdAt: (r) => r.createdAt,
    resolvedAt: (r) => r.resolvedAt,
  }),
  reply: stagedTable<Reply, RecordTypes['reply']>(Reply, {
    buyerId: unresolvedBuyer,
    id: (r) => r.id,
    priceCheckId: (r) => r.priceCheckId,
    receivedAt: (r) => r.receivedAt,
  }),
};
