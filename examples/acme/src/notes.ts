import { Body, Controller, Module, Post } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { CurrentPrincipal, Endpoint, type Principal } from '@deal-sets/service';
import { ResponseDto, Shown, Withheld } from '@deal-sets/service';

@ResponseDto('A note of the buyer.')
class Note {
  @Shown('The buyer.') readonly buyerId!: string;
  @Shown('What the note is about.') readonly topic!: string;
  // An assistant receives null instead.
  @Withheld('The note in the buyer’s words.', { type: 'text' }) readonly words!: string | null;
}

@ResponseDto('One note.')
class NoteResponse {
  @Shown('The note.', { type: () => Note }) readonly data!: Note;
}

class NewNote {
  @ApiProperty({ description: 'What the note is about.' }) @IsIn(['price', 'car']) topic!: string;
  @ApiProperty({ description: 'The note.' }) @IsString() @MaxLength(1000) words!: string;
}

@Controller('acme/notes')
class NotesController {
  @Post()
  @Endpoint({
    flag: 'notes',
    scope: 'notes:write',
    rateClass: 'notes',
    response: NoteResponse,
    body: NewNote,
    status: 201,
    summary: 'Keep a note',
  })
  keep(
    @CurrentPrincipal() { buyerId }: Principal,
    @Body() { topic, words }: NewNote,
  ): NoteResponse {
    return { data: { buyerId, topic, words } };
  }
}

/** Registers the endpoint for notes. */
@Module({ controllers: [NotesController] })
export class NotesModule {}
