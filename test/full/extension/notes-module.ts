import {
  Body,
  Controller,
  Get,
  Header,
  HttpException,
  Injectable,
  Module,
  Param,
  ParseUUIDPipe,
  Post,
  Query,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Throttle } from '@nestjs/throttler';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { map } from 'rxjs';
import {
  CurrentPrincipal,
  Endpoint,
  isDealSetsEndpoint,
  RequestSignal,
  requestSignal,
  ResponseDto,
  Shown,
  Withheld,
  type EndpointError,
  type Principal,
} from '../../../src/index.js';
import { Public } from '../../../src/endpoint/endpoint-policy.js';
import type { HostOptions } from '../../setup/test-service.js';

/** A note that the buyer keeps; its words are withheld from assistants. */
@ResponseDto('A note of the buyer.')
class Note {
  @Shown('Id of the note.', { type: 'uuid' }) readonly id!: string;
  @Shown('What the note is about.') readonly topic!: string;
  @Withheld('The note in the buyer’s words.', { type: 'text' }) readonly words!: string | null;
}

@ResponseDto('One note.')
class NoteResponse {
  @Shown('The note.', { type: () => Note }) readonly data!: Note;
}

@ResponseDto('Notes of the buyer.')
class NotesResponse {
  @Shown('The notes, oldest first.', { type: () => Note, isList: true })
  readonly data!: readonly Note[];
}

class NotesQuery {
  @ApiPropertyOptional({ description: 'Only notes about this.', enum: ['price', 'car'] })
  @IsOptional()
  @IsIn(['price', 'car'])
  readonly topic?: 'price' | 'car';
}

class NewNote {
  @ApiProperty({ description: 'What the note is about.' })
  @IsIn(['price', 'car'])
  readonly topic!: 'price' | 'car';

  @ApiProperty({ description: 'The note.', maxLength: 100_000 })
  @IsString()
  @MinLength(1)
  @MaxLength(100_000)
  readonly words!: string;
}

export const FIRST: Note = {
  id: '7b1c8b0a-6f0e-4b7e-8d86-1f4d4d5e0b01',
  topic: 'price',
  words: 'too much',
};

@Injectable()
export class Notes {
  readonly all: Note[] = [FIRST];
  /** The signals that handlers and guards received. */
  readonly signals: AbortSignal[] = [];
  isClosed = false;
  /** What `failing` throws. */
  failure: Error | undefined;
}

export const LOCKED: EndpointError = {
  status: 423,
  code: 'acme_locked',
  description: 'The buyer locked her account.',
};
export const isLocked = (): HttpException => {
  const body = { code: 'acme_locked', message: 'The account is locked.', by: 'Redwood' };
  return new HttpException(body, 423, { cause: new Error('Redwood') });
};

/**
 * The host application's own guard, with a dependency of its module and the time of the request.
 */
@Injectable()
class OpeningHours implements CanActivate {
  constructor(private readonly notes: Notes) {}

  canActivate(context: ExecutionContext): boolean {
    this.notes.signals.push(requestSignal(context));
    if (this.notes.isClosed) throw isLocked();
    return true;
  }
}

/** A guard of the whole application, which runs before the service's. */
@Injectable()
export class AppGuard implements CanActivate {
  static readonly seen: string[] = [];
  canActivate(context: ExecutionContext): boolean {
    AppGuard.seen.push(`${context.getHandler().name} ${isDealSetsEndpoint(context)}`);
    return true;
  }
}

/** An interceptor of the host application that changes the result. */
const changing = (change: (result: object) => unknown): NestInterceptor => ({
  intercept: (_context, next) => next.handle().pipe(map(change)),
});

/** An interceptor that labels an assistant as a session. */
const becomingSession: NestInterceptor = {
  intercept(context, next) {
    const request = context.switchToHttp().getRequest<{ principal: object }>();
    request.principal = { ...request.principal, type: 'session' };
    return next.handle();
  },
};

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
    @RequestSignal() signal: AbortSignal,
  ): NotesResponse {
    this.notes.signals.push(signal);
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
  forAssistants(): NotesResponse {
    return { data: [] };
  }

  @Get('failing')
  @Endpoint({ ...shared, response: NotesResponse, errors: [LOCKED, 'forbidden'], summary: 'Fail' })
  failing(): never {
    throw this.notes.failure!;
  }

  // Declared above `@Endpoint`, so it runs after the service's guards.
  @Get('guarded')
  @UseGuards(OpeningHours)
  @Endpoint({ ...shared, response: NotesResponse, errors: [LOCKED], summary: 'List by day' })
  guarded(): NotesResponse {
    return { data: [] };
  }

  @Get('rare')
  @Throttle({ notes: { limit: 2, ttl: 60_000 } })
  @Endpoint({ ...shared, response: NotesResponse, summary: 'List rarely' })
  rare(): NotesResponse {
    return { data: [] };
  }

  // Interceptors above `@Endpoint` run inside those of the service.
  @Get('undeclared')
  @UseInterceptors(changing((result) => ({ ...result, more: 'words of the host application' })))
  @Endpoint({ ...shared, response: Note, summary: 'Read more' })
  undeclared(): Note {
    return FIRST;
  }

  @Get('serialized')
  @UseInterceptors(changing((result) => JSON.stringify(result)))
  @Endpoint({ ...shared, response: Note, summary: 'Read as text' })
  serialized(): Note {
    return FIRST;
  }

  @Get('becomes-session')
  @UseInterceptors(becomingSession)
  @Endpoint({ ...shared, response: Note, summary: 'Read as another' })
  becomesSession(): Note {
    return FIRST;
  }

  @Get('page')
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    return '<p>Acme';
  }

  @Get(':id')
  @Endpoint({
    ...shared,
    response: NoteResponse,
    errors: ['invalid_request'],
    summary: 'Read a note',
  })
  readNote(@Param('id', ParseUUIDPipe) id: string): NoteResponse {
    return { data: this.notes.all.find((note) => note.id === id) ?? FIRST };
  }

  @Post()
  @Endpoint({
    ...shared,
    scope: 'notes:write',
    rateClass: 'notes_write',
    response: NoteResponse,
    body: NewNote,
    status: 201,
    summary: 'Keep a note',
  })
  keepNote(@Body() { topic, words }: NewNote): NoteResponse {
    const note = { id: FIRST.id, topic, words };
    this.notes.all.push(note);
    return { data: note };
  }
}

@Module({
  controllers: [NotesController],
  providers: [Notes, { provide: APP_GUARD, useClass: AppGuard }],
  exports: [Notes],
})
export class NotesModule {}

/** The options that the host application passes to the service. */
export const notesHost: HostOptions = {
  imports: [NotesModule],
  throttlers: [
    { name: 'notes', limit: 1000, ttl: 60_000 },
    {
      name: 'notes_write',
      // The limit is a function of the request: two a minute, and more with a certain header.
      limit: (context: ExecutionContext) => {
        const { headers } = context.switchToHttp().getRequest<{ headers: object }>();
        return 'x-acme-bulk' in headers ? 1000 : 2;
      },
      ttl: 60_000,
    },
  ],
};
