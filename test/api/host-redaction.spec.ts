import { setTimeout as pause } from 'node:timers/promises';
import {
  Catch,
  Controller,
  Get,
  Next,
  NotFoundException,
  Redirect,
  Render,
  Res,
  Sse,
  UseFilters,
  type ArgumentsHost,
  type ExceptionFilter,
  type ModuleMetadata,
  type Type,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  AuthModule,
  ContractFilter,
  DealSetsModule,
  Redacted,
  RedactionModule,
  RequireScope,
  ResponseDto,
  Shown,
  Withheld,
} from '../../src/index.js';
import { NestCacheModule, UrlCacheModule } from '../setup/caching-modules.js';
import { bootModuleHost, startModuleHost, type ModuleHost } from '../setup/module-host.js';
import { TestService } from '../setup/test-service.js';
import { moduleHostSuite } from './module-host-suite.js';

@ResponseDto('A note of the buyer.')
class Note {
  @Shown('What the note is about.') readonly topic!: string;
  @Withheld('The note in the buyer’s words.', { type: 'text' }) readonly words!: string | null;
}

const NOTE: Note = { topic: 'price', words: 'too much for me' };
const calls: string[] = [];

@UseFilters(ContractFilter)
@Controller('notes')
class NotesController {
  @Get()
  @RequireScope('offers:read')
  @Redacted(Note)
  read(): Note {
    // `owner` is not declared, so it is never sent.
    return { ...NOTE, owner: 'Anna' } as Note;
  }

  @Get('wrong')
  @RequireScope('offers:read')
  @Redacted(Note)
  wrong(): Note {
    return { topic: 5, words: NOTE.words } as unknown as Note;
  }

  @Get('unguarded')
  @Redacted(Note)
  unguarded(): Note {
    calls.push('unguarded');
    return NOTE;
  }
}

class Undecorated {
  readonly words!: string;
}

@ResponseDto('Holds another class.')
class Holder {
  @Shown('An object.', { type: () => Undecorated }) readonly inner!: Undecorated;
}

/** A controller with one handler of this response class. */
function responding(response: Type<object>): Type {
  @Controller('responding')
  class Responding {
    @Get()
    @Redacted(response)
    get(): object {
      return NOTE;
    }
  }
  return Responding;
}

@Controller('raw')
class Raw {
  @Get()
  @Redacted(Note)
  get(@Res() _response: unknown): Note {
    return NOTE;
  }
}

@Controller('rendered')
class Rendered {
  @Get()
  @Render('note')
  @Redacted(Note)
  get(): Note {
    return NOTE;
  }
}

@Controller('redirected')
class Redirected {
  @Get()
  @Redirect('/elsewhere')
  @Redacted(Note)
  get(): Note {
    return NOTE;
  }
}

@Controller('events')
class Events {
  @Sse()
  @Redacted(Note)
  get(): Note {
    return NOTE;
  }
}

@Controller('next')
class WithNext {
  @Get()
  @Redacted(Note)
  get(@Next() _next: unknown): Note {
    return NOTE;
  }
}

/** Replaces the function of a method, without its metadata. */
const Wrapped: MethodDecorator = (_target, _name, descriptor) => {
  const method = descriptor.value as unknown as () => unknown;
  descriptor.value = function (this: unknown) {
    return method.call(this);
  } as never;
};

@Controller('replaced')
class Replaced {
  @Get()
  @Wrapped
  @Redacted(Note)
  get(): Note {
    return NOTE;
  }
}

/** Sends a result of its own with 200, later, in place of an error. */
@Catch()
class FallbackFilter implements ExceptionFilter {
  constructor(private readonly adapters: HttpAdapterHost) {}

  async catch(_error: unknown, host: ArgumentsHost): Promise<void> {
    await pause(1);
    const response = host.switchToHttp().getResponse<object>();
    this.adapters.httpAdapter.reply(response, NOTE, 200);
  }
}

@Controller('fallback')
class FallbackController {
  @Get()
  @RequireScope('offers:read')
  @UseFilters(FallbackFilter)
  @Redacted(Note)
  get(): Note {
    throw new NotFoundException();
  }
}

const suite = moduleHostSuite();
const { session, assistant, settings } = suite;
/** Returns the two modules, without `DealSetsModule`. */
const authAndRedaction = () => [
  AuthModule.forRoot({ settings: settings() }),
  RedactionModule.forRoot(),
];
const withNotes = (
  imports: NonNullable<ModuleMetadata['imports']>,
  work: (host: ModuleHost) => Promise<void>,
): Promise<void> =>
  startModuleHost({ imports, controllers: [NotesController] }).then((host) =>
    work(host).finally(() => host.stop()),
  );

describe.each([
  ['AuthModule and RedactionModule alone', authAndRedaction],
  ['DealSetsModule', () => [DealSetsModule.forRoot({ settings: settings() })]],
])('@Redacted in an application with %s', (_what, imports) => {
  it('sends what the class declares, each field according to the caller', () =>
    withNotes(imports(), async (host) => {
      const own = await host.call('/notes', session);
      expect([own.status, JSON.parse(own.text)]).toEqual([200, NOTE]);
      const seen = await host.call('/notes', await assistant());
      expect([seen.status, JSON.parse(seen.text)]).toEqual([200, { ...NOTE, words: null }]);
      expect((await host.call('/notes')).status).toBe(401);
    }));

  it('sends 500 and nothing of a result that does not match the class', () =>
    withNotes(imports(), async (host) => {
      const rejection = await host.call('/notes/wrong', session);
      expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
      expect(rejection.text).not.toContain(NOTE.words);
    }));

  it('sends 500 without running a handler when no guard signs the caller in', () =>
    withNotes(imports(), async (host) => {
      for (const options of [session, await assistant(), {}]) {
        const rejection = await host.call('/notes/unguarded', options);
        expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
        expect(rejection.text).not.toContain(NOTE.words);
      }
      expect(calls).toEqual([]);
    }));

  it('is not cached by @nestjs/cache-manager', () =>
    withNotes([...imports(), NestCacheModule], async (host) => {
      expect((await host.call('/notes', session)).text).toContain(NOTE.words);
      const seen = await host.call('/notes', await assistant());
      expect(JSON.parse(seen.text)).toEqual({ ...NOTE, words: null });
    }));

  it('sends 500 in place of what another cache holds for another caller', () =>
    withNotes([...imports(), UrlCacheModule], async (host) => {
      expect((await host.call('/notes', session)).text).toContain(NOTE.words);
      const rejection = await host.call('/notes', await assistant());
      expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
      expect(rejection.text).not.toContain(NOTE.words);
    }));
});

describe('@Redacted with an exception filter of the host application', () => {
  it('sends 500 in place of a success that the filter sends, and goes on', async () => {
    const controllers = [FallbackController, NotesController];
    const host = await startModuleHost({ imports: authAndRedaction(), controllers });
    try {
      const rejection = await host.call('/fallback', await assistant());
      expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
      expect(rejection.text).not.toContain(NOTE.words);
      expect((await host.call('/notes', session)).status).toBe(200);
    } finally {
      await host.stop();
    }
  });
});

describe('an application with a wrong redaction', () => {
  it.each([
    ['a response class without fields', responding(Undecorated)],
    ['a nested class without fields', responding(Holder)],
  ])('does not start with %s', async (_what, controller) => {
    await expect(
      bootModuleHost({ imports: authAndRedaction(), controllers: [controller] }),
    ).rejects.toThrow('Undecorated: declare its fields, for example with @Shown');
  });

  it.each<[string, Type, string]>([
    ['writes its response itself', Raw, 'Raw.get: use @Res({ passthrough: true })'],
    [
      'renders a template',
      Rendered,
      'Rendered.get: remove @Render: its response cannot be checked',
    ],
    ['redirects', Redirected, 'Redirected.get: remove @Redirect: its response cannot be checked'],
    ['takes the next handler', WithNext, 'WithNext.get: remove @Next(): its response cannot be'],
    [
      'has lost its metadata to another decorator',
      Replaced,
      'Replaced.get: a decorator above @Endpoint or @Redacted replaces the method',
    ],
    ['sends events', Events, 'Events.get: remove @Sse: its response cannot be checked'],
  ])('does not start with a handler that %s', async (_what, controller, problem) => {
    await expect(
      bootModuleHost({ imports: authAndRedaction(), controllers: [controller] }),
    ).rejects.toThrow(problem);
  });

  it('does not start beside DealSetsModule', async () => {
    const hostApplication = { imports: [RedactionModule.forRoot()] };
    await expect(TestService.start({ database: suite.database, hostApplication })).rejects.toThrow(
      'RedactionModule was imported twice: it is global and part of DealSetsModule, so import only one of the two, once',
    );
  });
});
