import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A dealership. Its identity is shown to a buyer only once she unlocked or chose it, to an assistant never. */
@Entity('dealership')
export class Dealership {
  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  @Column({ name: 'name', type: 'text' })
  name!: string;

  @Column({ name: 'phone', type: 'text', nullable: true })
  phone!: string | null;

  @Column({ name: 'email', type: 'text', nullable: true })
  email!: string | null;

  @Column({ name: 'website', type: 'text', nullable: true })
  website!: string | null;

  /** Null: not known yet. */
  @Column({ name: 'verified_partner', type: 'boolean', nullable: true })
  verifiedPartner!: boolean | null;
}
