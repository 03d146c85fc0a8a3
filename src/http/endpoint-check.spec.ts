import { Body, Controller, Get, Head, Module, Post, Res, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { endpoint } from '../../test/builders/endpoint-policy.js';
import { shape, shown, text } from '../response-shape/field.js';
import { Endpoint, Public } from './endpoint.decorator.js';
import { EndpointModule } from './endpoint.module.js';

@Controller('declared')
class Declared {
  @Get()
  @Endpoint(endpoint())
  list(): void {
    return;
  }

  @Get('open')
  @Public()
  open(): void {
    return;
  }

  /** Not a route, so nothing to declare. */
  private readonly helper = (): void => undefined;
  plain(): void {
    this.helper();
  }
}

@Public()
@Controller('open')
class OpenAsAWhole {
  @Get()
  one(): void {
    return;
  }
}

@Controller('forgotten')
class Forgotten {
  @Get()
  @Public()
  fine(): void {
    return;
  }

  @Get('secret')
  secret(): void {
    return;
  }

  @Head('more')
  more(): void {
    return;
  }
}

class Heir extends Forgotten {}
Controller('heir')(Heir);

async function boot(...controllers: Type[]): Promise<void> {
  @Module({ imports: [EndpointModule.register()], controllers })
  class App {}
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- how Nest takes its options
  const context = await NestFactory.createApplicationContext(App, {
    logger: false,
    abortOnError: false,
  });
  await context.close();
}

/** A controller with one endpoint that declares this. */
function declaring(over: object): Type {
  @Controller('wrong')
  class Wrong {
    @Get()
    @Endpoint({ ...endpoint(), ...over })
    get(): void {
      return;
    }
  }
  return Wrong;
}

class Note {
  text?: string;
}

@Controller('bodies')
class Undeclared {
  @Post()
  @Endpoint(endpoint())
  post(@Body() _note: Note): void {
    return;
  }
}

@Controller('raw')
class Raw {
  @Get()
  @Endpoint(endpoint())
  get(@Res() _reply: unknown): void {
    return;
  }
}

describe('EndpointCheck', () => {
  it('lets the service start when every handler declares its access', async () => {
    await expect(boot(Declared, OpenAsAWhole)).resolves.toBeUndefined();
  });

  it('stops the start and names every handler that does not', async () => {
    await expect(boot(Declared, Forgotten)).rejects.toThrow(
      /@Endpoint\(\.\.\.\) or @Public\(\): Forgotten\.secret, Forgotten\.more$/,
    );
  });

  it('sees inherited handlers too', async () => {
    await expect(boot(Heir)).rejects.toThrow(/Heir\.secret/);
  });

  it.each([
    ['no response shape', { response: undefined }, 'response shape'],
    ['a flag of other characters', { flag: 'My-Flag' }, 'flag must match'],
    ['two scope tokens', { scope: 'offers:read offers:write' }, 'one scope token'],
    ['a scope with a quote', { scope: 'a"b' }, 'one scope token'],
    ['an empty scope', { scope: '' }, 'one scope token'],
    ['no principal', { principals: [] }, 'principals must be'],
    ['an unknown principal', { principals: ['dealer'] }, 'principals must be'],
    ['an unknown error', { errors: ['gone'] }, 'unknown error code gone'],
    [
      'a code of the service as its own',
      { errors: [{ status: 409, code: 'not_found', message: 'x', description: 'x' }] },
      'own error not_found',
    ],
    [
      'an own error of another status',
      { errors: [{ status: 404, code: 'note_gone', message: 'x', description: 'x' }] },
      'own error note_gone',
    ],
    ['a body on a GET', { body: Note }, 'needs POST'],
  ])('stops the start on %s', async (_what, over, problem) => {
    await expect(boot(declaring(over))).rejects.toThrow(problem);
  });

  it('stops the start on a @Body() that is not declared', async () => {
    await expect(boot(Undeclared)).rejects.toThrow('Undeclared.post: declare body');
  });

  it('stops the start on a handler that writes its response past the serializer', async () => {
    await expect(boot(Raw)).rejects.toThrow('passthrough');
  });

  it('stops the start on two shapes of one name', async () => {
    const response = shape('Pong', 'Another.', { ping: shown(text, 'A text.') });
    await expect(boot(Declared, declaring({ response }))).rejects.toThrow('called Pong');
  });
});
