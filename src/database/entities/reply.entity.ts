import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { PriceCheck } from './price-check.entity.js';

/** A message of the dealership that arrived. What it says is not kept here. */
@Entity('reply')
export class Reply {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  /** The price check's request. Kept by a trigger. */
  @Column({ name: 'request_id', type: 'uuid', insert: false, update: false })
  requestId!: string;

  @Column({ name: 'price_check_id', type: 'uuid' })
  priceCheckId!: string;

  /** The service's own receipt time. */
  @Column({ name: 'received_at', type: 'timestamp with time zone' })
  receivedAt!: Date;

  /** When it became readable: its commit's stamp in the feed. Kept by triggers. */
  @Column({
    name: 'feed_at',
    type: 'timestamp with time zone',
    precision: 3,
    nullable: true,
    insert: false,
    update: false,
  })
  feedAt!: Date | null;

  @ManyToOne(() => PriceCheck, (priceCheck) => priceCheck.replies, {
    nullable: false,
    onDelete: 'CASCADE',
  })
  @JoinColumn([
    { name: 'buyer_id', referencedColumnName: 'buyerId' },
    { name: 'price_check_id', referencedColumnName: 'id' },
  ])
  priceCheck?: Relation<PriceCheck>;
}
