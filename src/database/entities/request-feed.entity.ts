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

  @ManyToOne(() => Buyer, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'buyer_id', referencedColumnName: 'id' })
  buyer?: Relation<Buyer>;
}
