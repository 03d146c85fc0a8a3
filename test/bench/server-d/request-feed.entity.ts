import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request's position in the feed. */
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
}
