import {
  Body,
  ConflictException,
  Controller,
  ForbiddenException,
  Get,
  Injectable,
  Module,
  Param,
  Post,
  Query,
  type ExecutionContext,
} from '@nestjs/common';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import {
  CurrentPrincipal,
  Endpoint,
  IdPipe,
  InputField,
  listOf,
  objectOf,
  RequestDeadline,
  shape,
  shown,
  text,
  uuid,
  withheld,
  type Deadline,
  type DealSetsExtensions,
  type Principal,
  type WireOf,
} from '../../src/index.js';

/** A note that the buyer keeps; her own words are withheld from assistants. */
const Note = shape('Note', 'A note of the buyer.', {
  id: shown(uuid, 'Id of the note.'),
  topic: shown(text, 'What the note is about.'),
  words: withheld(text, 'The note in the buyer’s words.'),
});
const NoteResponse = shape('NoteResponse', 'One note.', {
  data: shown(objectOf(Note), 'The note.'),
});
const NotesResponse = shape('NotesResponse', 'Notes of the buyer.', {
  data: shown(listOf(objectOf(Note)), 'The notes, oldest first.'),
});
type NoteDto = WireOf<typeof Note>;

class NotesQuery {
  @InputField('Only notes about this.', { example: 'price' })
  @IsOptional()
  @IsIn(['price', 'car'])
  readonly topic?: 'price' | 'car';
}

class NewNote {
  @InputField('What the note is about.')
  @IsIn(['price', 'car'])
  readonly topic!: 'price' | 'car';

  @InputField('The note.')
  @IsString()
  @MinLength(1)
  @MaxLength(100_000)
  readonly words!: string;
}

export const FIRST = '7b1c8b0a-6f0e-4b7e-8d86-1f4d4d5e0b01';

@Injectable()
export class Notes {
  readonly all: NoteDto[] = [{ id: FIRST, topic: 'price', words: 'too much' }];
  readonly deadlines: number[] = [];
}

const shared = { flag: 'notes', scope: 'notes:read', rateClass: 'notes' } as const;

@Controller('acme/notes')
class NotesController {
  constructor(private readonly notes: Notes) {}

  @Get()
  @Endpoint({
    ...shared,
    response: NotesResponse,
    errors: ['invalid_request'],
    summary: 'List notes',
  })
  listNotes(
    @CurrentPrincipal() { buyerId }: Principal,
    @Query() { topic }: NotesQuery,
    @RequestDeadline() deadline: Deadline,
  ): WireOf<typeof NotesResponse> {
    this.notes.deadlines.push(deadline.remainingMs);
    const data = this.notes.all.filter((note) => topic === undefined || note.topic === topic);
    // `owner` is not declared, so it is never sent.
    return { data: data.map((note) => ({ ...note, owner: buyerId })) };
  }

  @Get('assistants-only')
  @Endpoint({
    ...shared,
    response: NotesResponse,
    summary: 'List notes for assistants',
    principals: ['assistant'],
  })
  forAssistants(): WireOf<typeof NotesResponse> {
    return { data: [] };
  }

  @Get('forbidden')
  @Endpoint({ ...shared, response: NotesResponse, errors: ['forbidden'], summary: 'Never' })
  never(): never {
    throw new ForbiddenException('notes of Redwood Motors');
  }

  @Get(':id')
  @Endpoint({ ...shared, response: NoteResponse, summary: 'Read a note' })
  readNote(@Param('id', new IdPipe('Id of a note.')) id: string): WireOf<typeof NoteResponse> {
    return { data: this.notes.all.find((note) => note.id === id) ?? { id, topic: '', words: '' } };
  }

  @Post()
  @Endpoint({
    ...shared,
    scope: 'notes:write',
    rateClass: 'notes_write',
    response: NoteResponse,
    body: NewNote,
    errors: [
      {
        status: 409,
        code: 'note_exists',
        message: 'The buyer has this note already.',
        description: 'A note with these words exists.',
      },
    ],
    summary: 'Keep a note',
  })
  keepNote(@Body() { topic, words }: NewNote): WireOf<typeof NoteResponse> {
    if (this.notes.all.some((note) => note.words === words)) throw new ConflictException(words);
    const note = { id: FIRST, topic, words };
    this.notes.all.push(note);
    return { data: note };
  }
}

@Module({ controllers: [NotesController], providers: [Notes], exports: [Notes] })
export class NotesModule {}

/** What the team hands to the service. */
export const notesExtensions: DealSetsExtensions = {
  imports: [NotesModule],
  rateClasses: {
    notes: { limit: 1000, windowSeconds: 60 },
    notes_write: {
      // Two a minute, more for who asks for it: a function of the request.
      limit: (context: ExecutionContext) => {
        const { headers } = context.switchToHttp().getRequest<{ headers: object }>();
        return 'x-acme-bulk' in headers ? 1000 : 2;
      },
      windowSeconds: 60,
    },
  },
};
