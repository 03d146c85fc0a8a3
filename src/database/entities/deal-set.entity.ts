import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import { Buyer } from './buyer.entity.js';
import { PriceCheck } from './price-check.entity.js';

/** One ask to several dealerships. */
@Entity('deal_set')
export class DealSet {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'id', type: 'uuid' })
  id!: string;

  @Column({ name: 'car_year', type: 'integer' })
  carYear!: number;

  @Column({ name: 'car_make', type: 'text' })
  carMake!: string;

  @Column({ name: 'car_model', type: 'text' })
  carModel!: string;

  @Column({ name: 'car_trim', type: 'text', nullable: true })
  carTrim!: string | null;

  @Column({ name: 'car_exterior_color', type: 'text', nullable: true })
  carExteriorColor!: string | null;

  @Column({ name: 'car_interior_color', type: 'text', nullable: true })
  carInteriorColor!: string | null;

  @Column({ name: 'car_drivetrain', type: 'text', nullable: true })
  carDrivetrain!: string | null;

  @Column({ name: 'car_powertrain', type: 'text', nullable: true })
  carPowertrain!: string | null;

  @Column({ name: 'buyer_zip', type: 'text', nullable: true })
  buyerZip!: string | null;

  @Column({ name: 'radius_miles', type: 'double precision', nullable: true })
  radiusMiles!: number | null;

  @Column({ name: 'dealers_found', type: 'integer', nullable: true })
  dealersFound!: number | null;

  @Column({ name: 'created_at', type: 'timestamp with time zone' })
  createdAt!: Date;

  @Column({ name: 'ended_at', type: 'timestamp with time zone', nullable: true })
  endedAt!: Date | null;

  @ManyToOne(() => Buyer, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'buyer_id', referencedColumnName: 'id' })
  buyer?: Relation<Buyer>;

  @OneToMany(() => PriceCheck, (priceCheck) => priceCheck.dealSet)
  members?: Relation<PriceCheck>[];
}
