import { Controller, Get, Injectable, Param, type INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { CredentialGuard } from '../auth/credential.guard.js';
import { ScopeGuard } from '../auth/scope.guard.js';
import { CurrentPrincipal } from '../http/context/request-parameters.js';
import { policyOf } from '../http/policy.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { ResponseDto, Shown } from '../redaction/field.decorators.js';
import { Endpoint } from './endpoint.decorator.js';
import { EndpointGuard } from './endpoint.guard.js';
import { EndpointInterceptor } from './endpoint.interceptor.js';

@ResponseDto('A note.')
class Note {
  @Shown('Its text.')
  readonly text!: string;
}

@Injectable()
class Notes {
  find(buyerId: string): Note {
    return { text: `of ${buyerId}` };
  }
}

@Controller('notes')
class NotesController {
  constructor(private readonly notes: Notes) {}

  @Get('own')
  @Endpoint({ response: Note, scope: 'notes:read' })
  own(@CurrentPrincipal() { buyerId }: Principal): Note {
    return this.notes.find(buyerId);
  }

  @Get(':id')
  @Endpoint({ response: Note, scope: 'notes:read' })
  read(@Param('id') id: string): Note {
    if (id === 'none') throw new AppError('not_found');
    return this.notes.find(id);
  }

  @Get(':id/file')
  @RequireScope('notes:read')
  file(): string {
    return 'a file';
  }
}

describe('a unit test of a controller with @Endpoint', () => {
  const passes = { canActivate: () => true };
  let module: TestingModule;
  let app: INestApplication;

  beforeAll(async () => {
    module = await Test.createTestingModule({ controllers: [NotesController], providers: [Notes] })
      .overrideGuard(EndpointGuard)
      .useValue(passes)
      .overrideInterceptor(EndpointInterceptor)
      .useValue({ intercept: (_call: unknown, next: { handle: () => unknown }) => next.handle() })
      .overrideGuard(CredentialGuard)
      .useValue(passes)
      .overrideGuard(ScopeGuard)
      .useValue(passes)
      .compile();
    app = module.createNestApplication(new FastifyAdapter());
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  const call = async (path: string): Promise<unknown[]> => {
    const response = await fetch((await app.getUrl()) + path);
    return [response.status, await response.text()];
  };

  it('calls the handler with a principal of its own', () => {
    const buyerId = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
    const note = module.get(NotesController).own({ type: 'session', buyerId });
    expect(note).toEqual({ text: `of ${buyerId}` });
  });

  it('calls the handler over HTTP', async () => {
    expect(await call('/notes/7')).toEqual([200, '{"text":"of 7"}']);
    expect(await call('/notes/7/file')).toEqual([200, 'a file']);
  });

  it('gets the errors of the handler from the filter of Nest', async () => {
    const [status, body] = await call('/notes/none');
    expect([status, JSON.parse(body as string)]).toMatchObject([
      404,
      { error: { code: 'not_found' } },
    ]);
  });
});

describe('what a handler declares below its controller', () => {
  @Controller('notes')
  @RequireScope('notes:read', { principals: ['session'] })
  class SessionNotesController {
    @Get('own')
    @Endpoint({ response: Note, scope: 'notes:write' })
    own(): Note {
      return { text: 'of the session' };
    }

    @Get('undefined')
    @Endpoint({ response: Note, scope: 'notes:write', principals: undefined })
    unset(): Note {
      return { text: 'of the session' };
    }

    @Get('file')
    @RequireScope('notes:write')
    file(): string {
      return 'a file';
    }

    @Get('shared')
    @RequireScope('notes:write', { principals: ['session', 'assistant'] })
    shared(): string {
      return 'a file';
    }
  }
  const principalsOf = (name: 'own' | 'unset' | 'file' | 'shared'): unknown => {
    const handler = SessionNotesController.prototype[name];
    const { scope, principals } = policyOf({ handler, controller: SessionNotesController });
    return [scope, principals];
  };

  it('replaces the scope, and keeps the principals if it names none', () => {
    expect(principalsOf('own')).toEqual(['notes:write', ['session']]);
    expect(principalsOf('unset')).toEqual(['notes:write', ['session']]);
    expect(principalsOf('file')).toEqual(['notes:write', ['session']]);
    expect(principalsOf('shared')).toEqual(['notes:write', ['session', 'assistant']]);
  });
});
