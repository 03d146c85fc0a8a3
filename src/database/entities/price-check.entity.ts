import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import type { CarAnswer, Ending } from '../../kernel/price-check-values.js';
import { Buyer } from './buyer.entity.js';
import { DealSet } from './deal-set.entity.js';
import { Dealership } from './dealership.entity.js';
import { Draft } from './draft.entity.js';
import { Question } from './question.entity.js';
import { Reply } from './reply.entity.js';

/** One ask to one dealership: a member of a deal set, or a request by itself. */
@Entity('price_check')
export class PriceCheck {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  /** Null: a request to a single dealership. */
  @Column({ name: 'deal_set_id', type: 'uuid', nullable: true })
  dealSetId!: string | null;

  /** The deal set, or the price check itself. Computed by the database. */
  @Column({ name: 'request_id', type: 'uuid', insert: false, update: false })
  requestId!: string;

  @Column({ name: 'dealership_id', type: 'uuid' })
  dealershipId!: string;

  /** The listing as it was written; no reading role may select it. */
  @Column({ name: 'listing_year', type: 'integer', nullable: true })
  listingYear!: number | null;

  @Column({ name: 'listing_make', type: 'text', nullable: true })
  listingMake!: string | null;

  @Column({ name: 'listing_model', type: 'text', nullable: true })
  listingModel!: string | null;

  @Column({ name: 'listing_trim', type: 'text', nullable: true })
  listingTrim!: string | null;

  @Column({ name: 'listing_exterior_color', type: 'text', nullable: true })
  listingExteriorColor!: string | null;

  @Column({ name: 'listing_mileage', type: 'integer', nullable: true })
  listingMileage!: number | null;

  @Column({ name: 'listing_listed_at_cents', type: 'bigint', nullable: true })
  listingListedAtCents!: number | null;

  /** What may be shown of the listing, to anyone. Kept by triggers, as all of `shown…` is. */
  @Column({ name: 'shown_year', type: 'integer', nullable: true, insert: false, update: false })
  shownYear!: number | null;

  @Column({ name: 'shown_make', type: 'text', nullable: true, insert: false, update: false })
  shownMake!: string | null;

  @Column({ name: 'shown_model', type: 'text', nullable: true, insert: false, update: false })
  shownModel!: string | null;

  @Column({ name: 'shown_trim', type: 'text', nullable: true, insert: false, update: false })
  shownTrim!: string | null;

  @Column({
    name: 'shown_exterior_color',
    type: 'text',
    nullable: true,
    insert: false,
    update: false,
  })
  shownExteriorColor!: string | null;

  @Column({ name: 'shown_mileage', type: 'integer', nullable: true, insert: false, update: false })
  shownMileage!: number | null;

  @Column({
    name: 'shown_listed_at_cents',
    type: 'bigint',
    nullable: true,
    insert: false,
    update: false,
  })
  shownListedAtCents!: number | null;

  @Column({
    name: 'shown_verified_partner',
    type: 'boolean',
    default: false,
    insert: false,
    update: false,
  })
  shownVerifiedPartner!: boolean;

  @Column({ name: 'distance_miles', type: 'double precision', nullable: true })
  distanceMiles!: number | null;

  @Column({ name: 'requested_at', type: 'timestamp with time zone' })
  requestedAt!: Date;

  @Column({ name: 'answer', type: 'text', nullable: true })
  answer!: CarAnswer | null;

  @Column({ name: 'otd_cents', type: 'bigint', nullable: true })
  otdCents!: number | null;

  @Column({ name: 'selling_price_cents', type: 'bigint', nullable: true })
  sellingPriceCents!: number | null;

  /** Null: the price is not in writing. */
  @Column({ name: 'written_at', type: 'timestamp with time zone', nullable: true })
  writtenAt!: Date | null;

  /** When the dealership finished and sent its offer. */
  @Column({ name: 'finished_at', type: 'timestamp with time zone', nullable: true })
  finishedAt!: Date | null;

  @Column({ name: 'ended', type: 'text', nullable: true })
  ended!: Ending | null;

  @Column({ name: 'ended_at', type: 'timestamp with time zone', nullable: true })
  endedAt!: Date | null;

  @Column({ name: 'unlocked_at', type: 'timestamp with time zone', nullable: true })
  unlockedAt!: Date | null;

  @Column({ name: 'chosen_at', type: 'timestamp with time zone', nullable: true })
  chosenAt!: Date | null;

  @Column({ name: 'archived_at', type: 'timestamp with time zone', nullable: true })
  archivedAt!: Date | null;

  @ManyToOne(() => Buyer, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'buyer_id', referencedColumnName: 'id' })
  buyer?: Relation<Buyer>;

  @ManyToOne(() => DealSet, (dealSet) => dealSet.members, { nullable: true, onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'buyer_id', referencedColumnName: 'buyerId' },
    { name: 'deal_set_id', referencedColumnName: 'id' },
  ])
  dealSet?: Relation<DealSet> | null;

  @ManyToOne(() => Dealership, { nullable: false })
  @JoinColumn({ name: 'dealership_id', referencedColumnName: 'id' })
  dealership?: Relation<Dealership>;

  @OneToMany(() => Question, (question) => question.priceCheck)
  questions?: Relation<Question>[];

  @OneToMany(() => Draft, (draft) => draft.priceCheck)
  drafts?: Relation<Draft>[];

  @OneToMany(() => Reply, (reply) => reply.priceCheck)
  replies?: Relation<Reply>[];
}
