import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Buyer } from './buyer.entity.js';

/** A request's position in the feed: the time of its newest change. Triggers keep it. */
@Entity('request_feed')
export class RequestFeed {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'request_id', type: 'uuid' })
  requestId!: string;

  @PrimaryColumn({ name: 'kind', type: 'text' })
  kind!: 'deal_set' | 'single';

  @Column({ name: 'feed_at', type: 'timestamp with time zone', precision: 3 })
  feedAt!: Date;

  /** False: `feedAt` is when the request was recorded. */
  @Column({ name: 'is_time_known', type: 'boolean' })
  isTimeKnown!: boolean;

  /** True only inside the transaction that changes the request. */
  @Column({ name: 'is_pending', type: 'boolean' })
  isPending!: boolean;

  /** The rules by which it was built last. Kept by the rebuild. */
  @Column({ name: 'rules_revision', type: 'smallint', insert: false, update: false })
  rulesRevision!: number;

  // The read model; docs/decisions/0007-read-model.md. Triggers and the rebuild write it.
  @Column({ name: 'needs_recompute', type: 'boolean', insert: false, update: false })
  needsRecompute!: boolean;

  @Column({
    name: 'requested_at',
    type: 'timestamp with time zone',
    insert: false,
    update: false,
    nullable: true,
  })
  requestedAt!: Date | null;

  @Column({ name: 'is_active', type: 'boolean', insert: false, update: false })
  isActive!: boolean;

  @Column({ name: 'has_ended', type: 'boolean', insert: false, update: false, nullable: true })
  hasEnded!: boolean | null;

  @Column({ name: 'is_archived', type: 'boolean', insert: false, update: false, nullable: true })
  isArchived!: boolean | null;

  @Column({ name: 'has_finished', type: 'boolean', insert: false, update: false, nullable: true })
  hasFinished!: boolean | null;

  @Column({ name: 'car_year', type: 'integer', insert: false, update: false, nullable: true })
  carYear!: number | null;

  @Column({ name: 'car_make', type: 'text', insert: false, update: false, nullable: true })
  carMake!: string | null;

  @Column({ name: 'car_model', type: 'text', insert: false, update: false, nullable: true })
  carModel!: string | null;

  @Column({ name: 'car_trim', type: 'text', insert: false, update: false, nullable: true })
  carTrim!: string | null;

  @Column({
    name: 'car_names_dealership',
    type: 'boolean',
    insert: false,
    update: false,
    nullable: true,
  })
  carNamesDealership!: boolean | null;

  @Column({ name: 'written', type: 'integer', insert: false, update: false, nullable: true })
  written!: number | null;

  @Column({ name: 'waiting', type: 'integer', insert: false, update: false, nullable: true })
  waiting!: number | null;

  @Column({ name: 'different_car', type: 'integer', insert: false, update: false, nullable: true })
  differentCar!: number | null;

  @Column({ name: 'ended', type: 'integer', insert: false, update: false, nullable: true })
  ended!: number | null;

  @Column({
    name: 'ended_with_price',
    type: 'integer',
    insert: false,
    update: false,
    nullable: true,
  })
  endedWithPrice!: number | null;

  @Column({
    name: 'closed_with_price',
    type: 'integer',
    insert: false,
    update: false,
    nullable: true,
  })
  closedWithPrice!: number | null;

  @Column({
    name: 'lowest_written_otd_cents',
    type: 'bigint',
    insert: false,
    update: false,
    nullable: true,
  })
  lowestWrittenOtdCents!: number | null;

  @Column({ name: 'open_items', type: 'integer', insert: false, update: false, nullable: true })
  needsYouItems!: number | null;

  /** Ids of all members in ascending order, packed: `unpackUuids` makes a list of them. */
  @Column({ name: 'member_ids', type: 'text', insert: false, update: false, nullable: true })
  memberIds!: string | null;

  @Column({ name: 'chosen', type: 'json', insert: false, update: false, nullable: true })
  chosen!: unknown;

  @Column({
    name: 'hero_distance_miles',
    type: 'double precision',
    insert: false,
    update: false,
    nullable: true,
  })
  heroDistanceMiles!: number | null;

  @Column({ name: 'is_hero_seen', type: 'boolean', insert: false, update: false, nullable: true })
  isHeroSeen!: boolean | null;

  @Column({
    name: 'chosen_dealership_ids',
    type: 'uuid',
    insert: false,
    update: false,
    nullable: true,
    array: true,
  })
  chosenDealershipIds!: string[] | null;

  @Column({ name: 'dealership_id', type: 'uuid', insert: false, update: false, nullable: true })
  dealershipId!: string | null;

  @ManyToOne(() => Buyer, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'buyer_id', referencedColumnName: 'id' })
  buyer?: Relation<Buyer>;
}
