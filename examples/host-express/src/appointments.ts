import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { IsInt, IsString, MaxLength, Min } from 'class-validator';
import { Column, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';

/** A test drive, stored through the shop's own connection. */
@Entity('shop_appointment')
export class Appointment {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ type: 'text' }) car!: string;
  @Column({ type: 'integer' }) guests!: number;
}

class NewAppointment {
  @IsString() @MaxLength(100) readonly car!: string;
  @IsInt() @Min(1) readonly guests!: number;
}

/**
 * Routes of the shop, to which the global guard, pipe, interceptors, filter and throttlers apply.
 */
@Controller('appointments')
class AppointmentsController {
  constructor(
    @InjectRepository(Appointment) private readonly appointments: Repository<Appointment>,
  ) {}

  /** Counts appointments. The result is the same for every account, so the shop may cache it. */
  @Get('count')
  async count(): Promise<{ count: number }> {
    return { count: await this.appointments.count() };
  }

  @Post()
  make(@Body() appointment: NewAppointment): Promise<Appointment> {
    return this.appointments.save({ ...appointment });
  }
}

/** The module of the test drives. */
@Module({
  imports: [TypeOrmModule.forFeature([Appointment])],
  controllers: [AppointmentsController],
})
export class AppointmentsModule {}
