import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { PriceCheck } from './price-check.entity.js';

/** Something the dealership asked the buyer. */
@Entity('question')
export class Question {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  /** The price check's request. Kept by a trigger. */
  @Column({ name: 'request_id', type: 'uuid', insert: false, update: false })
  requestId!: string;

  @Column({ name: 'price_check_id', type: 'uuid' })
  priceCheckId!: string;

  @Column({ name: 'prompt_id', type: 'text', nullable: true })
  promptId!: string | null;

  @Column({ name: 'category', type: 'text' })
  category!: string;

  @Column({ name: 'text', type: 'text' })
  text!: string;

  @Column({ name: 'answer_mode', type: 'text' })
  answerMode!: string;

  @Column({ name: 'otd_cents', type: 'bigint', nullable: true })
  otdCents!: number | null;

  @Column({ name: 'asked_at', type: 'timestamp with time zone' })
  askedAt!: Date;

  @Column({ name: 'answered_at', type: 'timestamp with time zone', nullable: true })
  answeredAt!: Date | null;

  @ManyToOne(() => PriceCheck, (priceCheck) => priceCheck.questions, {
    nullable: false,
    onDelete: 'CASCADE',
  })
  @JoinColumn([
    { name: 'buyer_id', referencedColumnName: 'buyerId' },
    { name: 'price_check_id', referencedColumnName: 'id' },
  ])
  priceCheck?: Relation<PriceCheck>;
}
