import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Buyer } from './buyer.entity.js';

/** A website session. Its cookie is not stored, only the hash by which it is found. */
@Entity('buyer_session')
export class BuyerSession {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  /** SHA-256 of the cookie's value. */
  @Column({ name: 'token_sha256', type: 'bytea' })
  tokenSha256!: Buffer;

  @Column({ name: 'expires_at', type: 'timestamp with time zone' })
  expiresAt!: Date;

  @Column({ name: 'revoked_at', type: 'timestamp with time zone', nullable: true })
  revokedAt!: Date | null;

  @ManyToOne(() => Buyer, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'buyer_id', referencedColumnName: 'id' })
  buyer?: Relation<Buyer>;
}
