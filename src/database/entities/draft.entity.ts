import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { PriceCheck } from './price-check.entity.js';

/** A reply that waits for the buyer to send or drop it. */
@Entity('draft')
export class Draft {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  /** The price check's request. Kept by a trigger. */
  @Column({ name: 'request_id', type: 'uuid', insert: false, update: false })
  requestId!: string;

  @Column({ name: 'price_check_id', type: 'uuid' })
  priceCheckId!: string;

  @Column({ name: 'body', type: 'text' })
  body!: string;

  @Column({ name: 'created_at', type: 'timestamp with time zone' })
  createdAt!: Date;

  @Column({ name: 'resolved_at', type: 'timestamp with time zone', nullable: true })
  resolvedAt!: Date | null;

  @ManyToOne(() => PriceCheck, (priceCheck) => priceCheck.drafts, {
    nullable: false,
    onDelete: 'CASCADE',
  })
  @JoinColumn([
    { name: 'buyer_id', referencedColumnName: 'buyerId' },
    { name: 'price_check_id', referencedColumnName: 'id' },
  ])
  priceCheck?: Relation<PriceCheck>;
}
