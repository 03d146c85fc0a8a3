import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import type { CarAnswer, Ending, RowState } from '../kernel/price-check-values.js';

/** The schema that contains all tables, domains and functions of the service. */
export const SCHEMA = 'deal_sets';
const IN_SCHEMA = { schema: SCHEMA } as const;
const TIME = 'timestamp with time zone';
const nullable = (name: string) => ({ name, nullable: true }) as const;
/** Options of a column that the database maintains, and that TypeORM therefore never writes. */
const MAINTAINED = { insert: false, update: false } as const;

/** A car buyer. Only the id and the features granted to the account are stored. */
@Entity('buyer', IN_SCHEMA)
export class Buyer {
  @PrimaryColumn('uuid', { name: 'id' }) id!: string;
  /** Whether an assistant of this buyer gets `changes`. */
  @Column('boolean', { name: 'changes_granted', default: false }) changesGranted!: boolean;
}

/** An entity of a buyer's data: its primary key begins with `buyer_id`. */
export abstract class BuyerScopedEntity {
  @PrimaryColumn('uuid', { name: 'buyer_id' }) buyerId!: string;
  @PrimaryColumn('uuid', { name: 'id' }) id!: string;
}

/** An entity with a relation to its buyer. */
export abstract class BuyerOwnedEntity extends BuyerScopedEntity {
  @ManyToOne(() => Buyer, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'buyer_id', referencedColumnName: 'id' })
  buyer?: Relation<Buyer>;
}

/** An entity that belongs to a price check: a question, a draft or a reply. */
export abstract class PriceCheckOwnedEntity extends BuyerScopedEntity {
  /** The id of the request that the price check belongs to. */
  @Column('uuid', { name: 'request_id', ...MAINTAINED }) requestId!: string;
  @Column('uuid', { name: 'price_check_id' }) priceCheckId!: string;
  @ManyToOne(() => PriceCheck, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'buyer_id', referencedColumnName: 'buyerId' },
    { name: 'price_check_id', referencedColumnName: 'id' },
  ])
  priceCheck?: Relation<PriceCheck>;
}

/** A website session. The cookie itself is not stored, only its hash. */
@Entity('buyer_session', IN_SCHEMA)
export class BuyerSession extends BuyerOwnedEntity {
  /** SHA-256 of the cookie's value. */
  @Column('bytea', { name: 'token_sha256' }) tokenSha256!: Buffer;
  @Column(TIME, { name: 'expires_at' }) expiresAt!: Date;
  @Column(TIME, nullable('revoked_at')) revokedAt!: Date | null;
}

/** A buyer's approval of an assistant. */
@Entity('assistant_grant', IN_SCHEMA)
export class AssistantGrant extends BuyerOwnedEntity {
  @Column('text', { name: 'client_id' }) clientId!: string;
  @Column('text', { name: 'scopes', array: true }) scopes!: string[];
  @Column('boolean', { name: 'is_hosted', default: false }) isHosted!: boolean;
  /** Since when the approval is valid. Tokens that were issued earlier are rejected. */
  @Column(TIME, { name: 'granted_at' }) grantedAt!: Date;
  /** When the approval ends by itself; null if it does not. */
  @Column(TIME, nullable('expires_at')) expiresAt!: Date | null;
  @Column(TIME, nullable('revoked_at')) revokedAt!: Date | null;
}

/**
 * A dealership. The buyer learns its identity only after unlocking or choosing it; an assistant
 * never does.
 */
@Entity('dealership', IN_SCHEMA)
export class Dealership {
  @PrimaryColumn('uuid', { name: 'id' }) id!: string;
  @Column('text', { name: 'name' }) name!: string;
  @Column('text', nullable('phone')) phone!: string | null;
  @Column('text', nullable('email')) email!: string | null;
  @Column('text', nullable('website')) website!: string | null;
  /** Whether the dealership is a verified partner; null while this is not known. */
  @Column('boolean', nullable('verified_partner')) verifiedPartner!: boolean | null;
}

/** A search sent to several dealerships. */
@Entity('deal_set', IN_SCHEMA)
export class DealSet extends BuyerOwnedEntity {
  @Column('integer', { name: 'car_year' }) carYear!: number;
  @Column('text', { name: 'car_make' }) carMake!: string;
  @Column('text', { name: 'car_model' }) carModel!: string;
  @Column('text', nullable('car_trim')) carTrim!: string | null;
  @Column('text', nullable('car_exterior_color')) carExteriorColor!: string | null;
  @Column('text', nullable('car_interior_color')) carInteriorColor!: string | null;
  @Column('text', nullable('car_drivetrain')) carDrivetrain!: string | null;
  @Column('text', nullable('car_powertrain')) carPowertrain!: string | null;
  @Column('text', nullable('buyer_zip')) buyerZip!: string | null;
  @Column('double precision', nullable('radius_miles')) radiusMiles!: number | null;
  @Column('integer', nullable('dealers_found')) dealersFound!: number | null;
  @Column(TIME, { name: 'created_at' }) createdAt!: Date;
  @Column(TIME, nullable('ended_at')) endedAt!: Date | null;
  @OneToMany(() => PriceCheck, 'dealSet') members?: Relation<PriceCheck>[];
}

/** A request to one dealership: a row of a deal set, or a request by itself. */
@Entity('price_check', IN_SCHEMA)
export class PriceCheck extends BuyerOwnedEntity {
  /** The deal set that the price check belongs to; null for a request to a single dealership. */
  @Column('uuid', nullable('deal_set_id')) dealSetId!: string | null;
  /** The id of the deal set, or of the price check itself if it has no deal set. */
  @Column('uuid', { name: 'request_id', ...MAINTAINED }) requestId!: string;
  @Column('uuid', { name: 'dealership_id' }) dealershipId!: string;

  // The listing as it was written. No reading role may select these seven columns.
  @Column('integer', nullable('listing_year')) listingYear!: number | null;
  @Column('text', nullable('listing_make')) listingMake!: string | null;
  @Column('text', nullable('listing_model')) listingModel!: string | null;
  @Column('text', nullable('listing_trim')) listingTrim!: string | null;
  @Column('text', nullable('listing_exterior_color')) listingExteriorColor!: string | null;
  @Column('integer', nullable('listing_mileage')) listingMileage!: number | null;
  @Column('bigint', nullable('listing_listed_at_cents')) listingListedAtCents!: number | null;

  // The parts of the listing that may be shown to any principal.
  @Column('integer', { ...nullable('shown_year'), ...MAINTAINED }) shownYear!: number | null;
  @Column('text', { ...nullable('shown_make'), ...MAINTAINED }) shownMake!: string | null;
  @Column('text', { ...nullable('shown_model'), ...MAINTAINED }) shownModel!: string | null;
  @Column('text', { ...nullable('shown_trim'), ...MAINTAINED }) shownTrim!: string | null;
  @Column('text', { ...nullable('shown_exterior_color'), ...MAINTAINED })
  shownExteriorColor!: string | null;
  @Column('integer', { ...nullable('shown_mileage'), ...MAINTAINED }) shownMileage!: number | null;
  @Column('bigint', { ...nullable('shown_listed_at_cents'), ...MAINTAINED })
  shownListedAtCents!: number | null;

  /** Whether the dealership is a Verified partner. */
  @Column('boolean', { name: 'shown_verified_partner', default: false, ...MAINTAINED })
  shownVerifiedPartner!: boolean;

  @Column('double precision', nullable('distance_miles')) distanceMiles!: number | null;
  @Column(TIME, { name: 'requested_at' }) requestedAt!: Date;
  @Column('text', nullable('answer')) answer!: CarAnswer | null;
  @Column('bigint', nullable('otd_cents')) otdCents!: number | null;
  @Column('bigint', nullable('selling_price_cents')) sellingPriceCents!: number | null;
  /** When the price was put in writing; null while it is not in writing. */
  @Column(TIME, nullable('written_at')) writtenAt!: Date | null;
  /** When the dealership finished and sent its offer. */
  @Column(TIME, nullable('finished_at')) finishedAt!: Date | null;
  @Column('text', nullable('ended')) ended!: Ending | null;
  @Column(TIME, nullable('ended_at')) endedAt!: Date | null;
  @Column(TIME, nullable('unlocked_at')) unlockedAt!: Date | null;
  @Column(TIME, nullable('chosen_at')) chosenAt!: Date | null;
  @Column(TIME, nullable('archived_at')) archivedAt!: Date | null;
  /** Whether the buyer unlocked or chose the dealership, and so sees its name. */
  @Column('boolean', { name: 'is_seen', ...MAINTAINED }) isSeen!: boolean;
  /** Whether the price is in writing. */
  @Column('boolean', { name: 'is_written', ...MAINTAINED }) isWritten!: boolean;
  /** The state of the row. */
  @Column('text', { name: 'state', ...MAINTAINED }) state!: RowState;

  @ManyToOne(() => DealSet, 'members', { nullable: true, onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'buyer_id', referencedColumnName: 'buyerId' },
    { name: 'deal_set_id', referencedColumnName: 'id' },
  ])
  dealSet?: Relation<DealSet> | null;
  @ManyToOne(() => Dealership, { nullable: false })
  @JoinColumn({ name: 'dealership_id', referencedColumnName: 'id' })
  dealership?: Relation<Dealership>;
  @OneToMany(() => Question, 'priceCheck') questions?: Relation<Question>[];
  @OneToMany(() => Draft, 'priceCheck') drafts?: Relation<Draft>[];
  @OneToMany(() => Reply, 'priceCheck') replies?: Relation<Reply>[];
}

/** A question from the dealership to the buyer. */
@Entity('question', IN_SCHEMA)
export class Question extends PriceCheckOwnedEntity {
  @Column('text', nullable('prompt_id')) promptId!: string | null;
  @Column('text', { name: 'category' }) category!: string;
  @Column('text', { name: 'text' }) text!: string;
  /** What the buyer may read while the row is hidden; null for nothing. */
  @Column('text', nullable('text_while_hidden')) textWhileHidden!: string | null;
  @Column('text', { name: 'answer_mode' }) answerMode!: string;
  @Column('bigint', nullable('otd_cents')) otdCents!: number | null;
  @Column(TIME, { name: 'asked_at' }) askedAt!: Date;
  @Column(TIME, nullable('answered_at')) answeredAt!: Date | null;
}

/** A prepared message that waits for the buyer to send or discard it. */
@Entity('draft', IN_SCHEMA)
export class Draft extends PriceCheckOwnedEntity {
  @Column('text', { name: 'body' }) body!: string;
  /** What the buyer may read while the row is hidden; null for nothing. */
  @Column('text', nullable('body_while_hidden')) bodyWhileHidden!: string | null;
  @Column(TIME, { name: 'created_at' }) createdAt!: Date;
  @Column(TIME, nullable('resolved_at')) resolvedAt!: Date | null;
}

/** A message that arrived from the dealership. Its text is not stored. */
@Entity('reply', IN_SCHEMA)
export class Reply extends PriceCheckOwnedEntity {
  /** The stamp of the reply, which is the time at which the reply became readable in the feed. */
  @Column(TIME, { ...nullable('feed_at'), ...MAINTAINED, precision: 3 }) feedAt!: Date | null;
}

/** The service's entities. Migrations create the tables; a test compares the two. */
export const ENTITIES = [
  AssistantGrant,
  Buyer,
  BuyerSession,
  DealSet,
  Dealership,
  Draft,
  PriceCheck,
  Question,
  Reply,
];
