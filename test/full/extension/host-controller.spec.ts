import { Controller, Get, Injectable, Module, Param, type INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  AppError,
  CurrentPrincipal,
  DealSetsModule,
  Endpoint,
  RequireScope,
  ResponseDto,
  Shown,
  SignIn,
  type Principal,
} from '../../../src/index.js';
import { policyOf } from '../../../src/http/policy.js';

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

@Module({ controllers: [NotesController], providers: [Notes] })
class NotesModule {}

const BUYER_ID = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
/** No server listens at this address, and no test needs one. */
const settings = { database: { url: 'postgres://127.0.0.1:1/none' }, isProduction: false };

describe('a test of a controller whose sign-in is replaced', () => {
  let caller: Principal;
  let app: INestApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [DealSetsModule.forRoot({ settings }), NotesModule],
    })
      .overrideProvider(SignIn)
      .useValue({ authenticate: () => caller })
      .compile();
    app = module.createNestApplication(new FastifyAdapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
  });
  beforeEach(() => {
    caller = { type: 'session', buyerId: BUYER_ID };
  });
  afterAll(() => app.close());

  const call = async (path: string): Promise<unknown[]> => {
    const response = await fetch((await app.getUrl()) + path);
    return [response.status, await response.text()];
  };

  it('calls the handlers as this caller', async () => {
    expect(await call('/notes/own')).toEqual([200, `{"text":"of ${BUYER_ID}"}`]);
    expect(await call('/notes/7')).toEqual([200, '{"text":"of 7"}']);
    expect(await call('/notes/7/file')).toEqual([200, 'a file']);
  });

  it('keeps the other checks and the errors', async () => {
    const [status, body] = await call('/notes/none');
    const envelope: unknown = JSON.parse(body as string);
    expect([status, envelope]).toMatchObject([404, { error: { code: 'not_found' } }]);
    const scopes = new Set(['notes:write']);
    const assistant = { type: 'assistant', buyerId: BUYER_ID, clientId: 'a', scopes } as const;
    caller = { ...assistant, isHosted: true, seesChanges: false };
    expect((await call('/notes/7'))[0]).toBe(403);
    expect((await call('/notes/7/file'))[0]).toBe(403);
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
