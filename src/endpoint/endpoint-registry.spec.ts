import { Body, Controller, Get, Head, Module, Post, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { endpoint } from '../../test/builders/endpoint-policy.js';
import { ResponseDto, Shown } from '../redaction/field.decorators.js';
import { declareEndpoint, Public } from './endpoint-policy.js';
import { RouteDiscovery } from '../http/route-discovery.js';
import { EndpointRegistry } from './endpoint-registry.js';
import { UndeclaredRoutes } from './undeclared-routes.js';

@Controller('declared')
class Declared {
  @Get() @declareEndpoint(endpoint()) list(): void {}
  @Get('open') @Public() open(): void {}
  /** This method is not a route, so it needs no declaration. */
  plain(): void {}
}

@Public()
@Controller('open')
class OpenAsAWhole {
  @Get() getOne(): void {}
}

@Controller('forgotten')
class Forgotten {
  @Get() @Public() fine(): void {}
  @Get('secret') secret(): void {}
  @Head('more') more(): void {}
}

@Controller('heir')
class Heir extends Forgotten {}

async function boot(...controllers: Type[]): Promise<void> {
  @Module({
    imports: [DiscoveryModule],
    controllers,
    providers: [RouteDiscovery, EndpointRegistry, UndeclaredRoutes],
  })
  class App {}

  const context = await NestFactory.createApplicationContext(App, {
    logger: false,
    abortOnError: false,
  });
  await context.close();
}

/** Returns a controller with one endpoint that has this declaration. */
function declaring(over: object): Type {
  @Controller('wrong')
  class Wrong {
    @Get() @declareEndpoint({ ...endpoint(), ...over }) get(): void {}
  }
  return Wrong;
}

@Controller('bodies')
class Undeclared {
  @Post() @declareEndpoint(endpoint()) post(@Body() _note: object): void {}
}

/**
 * The recorded type of this body is `Object`, as for an interface or a class from `import type`.
 */
@Controller('untyped')
class Untyped {
  @Post() @declareEndpoint({ ...endpoint(), body: Declared }) post(@Body() _note: object): void {}
}

@ResponseDto('Of a name that another class has.')
class Pong {
  @Shown('A text.') readonly ping!: string;
}

/** A class with the name of the service's own error response. */
function namedErrorResponse(): Type<object> {
  @ResponseDto('An error response of the host application.')
  class ErrorResponse {
    @Shown('A text.') readonly ping!: string;
  }
  return ErrorResponse;
}

const error = { status: 423, code: 'note_locked', description: 'It is locked.' };

describe('the check of declared endpoints', () => {
  it('lets the service start when every handler declares its access', async () => {
    await expect(boot(Declared, OpenAsAWhole)).resolves.toBeUndefined();
  });

  it.each<[string, RegExp, ...Type[]]>([
    [
      'handlers that declare nothing, each by its name',
      /@Endpoint\(\.\.\.\) or @Public\(\): Forgotten\.secret, Forgotten\.more$/,
      ...[Declared, Forgotten],
    ],
    ['an inherited handler that declares nothing', /Heir\.secret/, Heir],
    ['a body that no @Body() takes', /declare body/, declaring({ body: Declared })],
    ['a @Body() that is not declared', /Undeclared\.post: declare body/, Undeclared],
    ['a @Body() of another type than declared', /Untyped\.post: declare body/, Untyped],
    ['two response classes of one name', /called Pong/, Declared, declaring({ response: Pong })],
    [
      'an error with the status of a success',
      /Wrong\.get: error note_locked: expected a status from 400 to 599, not 200/,
      declaring({ errors: [{ ...error, status: 200 }] }),
    ],
    [
      'an error with a code of the service',
      /Wrong\.get: error not_found: choose another code/,
      declaring({ errors: [{ ...error, code: 'not_found' }] }),
    ],
    [
      'an error whose code is not in lower case',
      /Wrong\.get: error Note-Locked: expected a code of lower-case words joined by _/,
      declaring({ errors: [{ ...error, code: 'Note-Locked' }] }),
    ],
    [
      'an error that is declared twice',
      /Wrong\.get: error note_locked: declare it once/,
      declaring({ errors: [error, { ...error, status: 409 }] }),
    ],
    [
      'an unknown code of the service',
      /Wrong\.get: error gone: expected a code of the service/,
      declaring({ errors: ['gone'] }),
    ],
    [
      'a response class with the name of the error response',
      /Two schemas of the API description are called ErrorResponse/,
      declaring({ response: namedErrorResponse() }),
    ],
    ['no principals', /principals: expected one or more of session/, declaring({ principals: [] })],
    [
      'an unknown principal',
      /principals: expected one or more of session, assistant/,
      declaring({ principals: ['admin'] }),
    ],
  ])('stops the start on %s', async (_what, problem, ...controllers) => {
    await expect(boot(...controllers)).rejects.toThrow(problem);
  });
});
