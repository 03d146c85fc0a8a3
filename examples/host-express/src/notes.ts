import {
  Body,
  Controller,
  Get,
  Module,
  NotFoundException,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import { ApiProperty, ApiSecurity } from '@nestjs/swagger';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import {
  CurrentPrincipal,
  Redacted,
  RequireScope,
  ResponseDto,
  Shown,
  Withheld,
  type Principal,
} from '@deal-sets/service';
import { IsString, MaxLength } from 'class-validator';
import { Column, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';
import { WithoutAccount } from './account.js';
import { DeadlineInterceptor } from './deadline.interceptor.js';

/** A buyer's note for the next visit, stored through the shop's own connection. */
@Entity('shop_note')
export class StoredNote {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ name: 'buyer_id', type: 'uuid' }) buyerId!: string;
  @Column({ type: 'text' }) topic!: string;
  @Column({ type: 'text' }) words!: string;
}

@ResponseDto('A note of the buyer.')
class Note {
  @Shown('What the note is about.')
  readonly topic!: string;

  @Withheld('The note in the buyer’s words.', { type: 'text' })
  readonly words!: string | null;
}

class NewNote {
  @ApiProperty({ description: 'What the note is about.' })
  @IsString()
  @MaxLength(100)
  readonly topic!: string;

  @ApiProperty({ description: 'The note.' })
  @IsString()
  @MaxLength(1000)
  readonly words!: string;
}

/**
 * Routes of the shop for the callers of the deal sets, without `@Endpoint`: they have the sign-in
 * and the redaction of the service, but no flag and no rate class. The shop's global throttlers,
 * interceptors and filter apply to them.
 */
@Controller('notes')
@WithoutAccount()
@UseInterceptors(DeadlineInterceptor)
@ApiSecurity('session')
class NotesController {
  constructor(@InjectRepository(StoredNote) private readonly notes: Repository<StoredNote>) {}

  @Get('newest')
  @RequireScope('offers:read')
  @Redacted(Note)
  @ApiSecurity('oauth', ['offers:read'])
  async newest(@CurrentPrincipal() { buyerId }: Principal): Promise<Note> {
    const note = await this.notes.findOne({ where: { buyerId }, order: { id: 'DESC' } });
    if (!note) throw new NotFoundException();
    return note;
  }

  @Post()
  @RequireScope('notes:write', { principals: ['session'] })
  @Redacted(Note)
  @ApiSecurity('oauth', ['notes:write'])
  add(@CurrentPrincipal() { buyerId }: Principal, @Body() note: NewNote): Promise<Note> {
    return this.notes.save({ ...note, buyerId });
  }
}

/** The module of the notes. */
@Module({
  imports: [TypeOrmModule.forFeature([StoredNote])],
  controllers: [NotesController],
})
export class NotesModule {}
