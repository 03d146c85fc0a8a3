import { setTimeout as pause } from 'node:timers/promises';
import {
  Catch,
  Controller,
  Get,
  NotFoundException,
  Res,
  UseFilters,
  type ArgumentsHost,
  type ExceptionFilter,
  type Type,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  DealSetsModule,
  Endpoint,
  Redacted,
  RequireScope,
  ResponseDto,
  Shown,
  Withheld,
} from '../../../src/index.js';
import { NestCacheModule, UrlCacheModule } from '../../setup/caching-modules.js';
import { bootModuleHost, startModuleHost, type ModuleHost } from '../../setup/module-host.js';
import { moduleHostSuite } from './module-host-suite.js';

@ResponseDto('A note of the buyer.')
class Note {
  @Shown('What the note is about.') readonly topic!: string;
  @Withheld('The note in the buyer’s words.', { type: 'text' }) readonly words!: string | null;
}

const NOTE: Note = { topic: 'price', words: 'too much for me' };
const calls: string[] = [];

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
const dealSets = () => DealSetsModule.forRoot({ settings: settings() });
const withNotes = (
  imports: readonly Type[],
  work: (host: ModuleHost) => Promise<void>,
): Promise<void> =>
  startModuleHost({ imports: [dealSets(), ...imports], controllers: [NotesController] }).then(
    (host) => work(host).finally(() => host.stop()),
  );

describe('@Redacted', () => {
  it('sends what the class declares, each field according to the caller', () =>
    withNotes([], async (host) => {
      const own = await host.call('/notes', session);
      expect([own.status, JSON.parse(own.text)]).toEqual([200, NOTE]);
      const seen = await host.call('/notes', await assistant());
      expect([seen.status, JSON.parse(seen.text)]).toEqual([200, { ...NOTE, words: null }]);
      expect((await host.call('/notes')).status).toBe(401);
    }));

  it('sends 500 and nothing of a result that does not match the class', () =>
    withNotes([], async (host) => {
      const rejection = await host.call('/notes/wrong', session);
      expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
      expect(rejection.text).not.toContain(NOTE.words);
    }));

  it('sends 500 without running a handler when no guard signs the caller in', () =>
    withNotes([], async (host) => {
      for (const options of [session, await assistant(), {}]) {
        const rejection = await host.call('/notes/unguarded', options);
        expect(rejection.status).toBe(500);
        expect(rejection.text).not.toContain(NOTE.words);
      }
      expect(calls).toEqual([]);
    }));

  it('is not cached by @nestjs/cache-manager', () =>
    withNotes([NestCacheModule], async (host) => {
      expect((await host.call('/notes', session)).text).toContain(NOTE.words);
      const seen = await host.call('/notes', await assistant());
      expect(JSON.parse(seen.text)).toEqual({ ...NOTE, words: null });
    }));

  it('sends 500 in place of what another cache holds for another caller', () =>
    withNotes([UrlCacheModule], async (host) => {
      expect((await host.call('/notes', session)).text).toContain(NOTE.words);
      const rejection = await host.call('/notes', await assistant());
      expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
      expect(rejection.text).not.toContain(NOTE.words);
    }));
});

describe('@Redacted with an exception filter of the host application', () => {
  it('sends 500 in place of a success that the filter sends, and goes on', async () => {
    const controllers = [FallbackController, NotesController];
    const host = await startModuleHost({ imports: [dealSets()], controllers });
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
      bootModuleHost({ imports: [dealSets()], controllers: [controller] }),
    ).rejects.toThrow('Undecorated: declare its fields, for example with @Shown');
  });

  it('does not start with a handler whose metadata another decorator has lost', async () => {
    await expect(
      bootModuleHost({ imports: [dealSets()], controllers: [Replaced] }),
    ).rejects.toThrow('Replaced.get: a decorator above that of the service replaces the method');
  });

  it.each([
    ['@Redacted', Redacted(Note)],
    ['@Endpoint', Endpoint({ scope: 'offers:read', response: Note })],
  ])('rejects %s on a handler that writes its response itself', (_what, decorator) => {
    const declare = (options?: { readonly passthrough: true }): Type => {
      class Raw {
        @decorator
        get(@Res(options) _response: unknown): Note {
          return NOTE;
        }
      }
      return Raw;
    };
    expect(declare).toThrow('Raw.get: use @Res({ passthrough: true })');
    expect(() => declare({ passthrough: true })).not.toThrow();
  });
});
