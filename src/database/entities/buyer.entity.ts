import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A car buyer: the id is all that is known of her, and what her account was granted. */
@Entity('buyer')
export class Buyer {
  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  /** Whether an assistant of this buyer gets `changes`. */
  @Column({ name: 'changes_granted', type: 'boolean', default: false })
  changesGranted!: boolean;
}
