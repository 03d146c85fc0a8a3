import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Buyer } from './buyer.entity.js';

/** A buyer's approval of an assistant. */
@Entity('assistant_grant')
export class AssistantGrant {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  @Column({ name: 'client_id', type: 'text' })
  clientId!: string;

  @Column({ name: 'scopes', type: 'text', array: true })
  scopes!: string[];

  @Column({ name: 'is_hosted', type: 'boolean', default: false })
  isHosted!: boolean;

  @Column({ name: 'granted_at', type: 'timestamp with time zone' })
  grantedAt!: Date;

  @Column({ name: 'revoked_at', type: 'timestamp with time zone', nullable: true })
  revokedAt!: Date | null;

  @ManyToOne(() => Buyer, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'buyer_id', referencedColumnName: 'id' })
  buyer?: Relation<Buyer>;
}
