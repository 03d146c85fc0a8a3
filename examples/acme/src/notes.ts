import { Body, Controller, Module, Post } from '@nestjs/common';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { CurrentPrincipal, Endpoint, InputField, type Principal } from 'deal-sets';
import { objectOf, shape, shown, text, withheld } from 'deal-sets';

const Note = shape('Note', 'A note of the buyer.', {
  buyerId: shown(text, 'The buyer.'),
  topic: shown(text, 'What the note is about.'),
  words: withheld(text, 'The note in the buyer’s words.'),
});
const response = shape('NoteResponse', 'One note.', { data: shown(objectOf(Note), 'The note.') });

class NewNote {
  @InputField('What the note is about.') @IsIn(['price', 'car']) topic!: string;
  @InputField('The note.') @IsString() @MaxLength(1000) words!: string;
}

@Controller('acme/notes')
class NotesController {
  @Post()
  @Endpoint({
    flag: 'notes',
    scope: 'notes:write',
    rateClass: 'notes',
    response,
    body: NewNote,
    summary: 'Keep a note',
  })
  keep(@CurrentPrincipal() { buyerId }: Principal, @Body() { topic, words }: NewNote) {
    return { data: { buyerId, topic, words } };
  }
}

@Module({ controllers: [NotesController] })
export class NotesModule {}
