import { Body, Controller, Get, Head, Module, Post, Res, type Type } from '@nestjs/common';
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
  /** Not a route, so nothing to declare. */
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

/** A controller with one endpoint that declares this. */
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

/** As an interface, or a class of `import type`, reaches the metadata. */
@Controller('untyped')
class Untyped {
  @Post() @declareEndpoint({ ...endpoint(), body: Declared }) post(@Body() _note: object): void {}
}

@Controller('raw')
class Raw {
  @Get() @declareEndpoint(endpoint()) get(@Res() _reply: unknown): void {}
}

@ResponseDto('Of a name that another class has.')
class Pong {
  @Shown('A text.') readonly ping!: string;
}

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
    ['a handler that writes its response past the interceptor', /passthrough/, Raw],
    ['two response classes of one name', /called Pong/, Declared, declaring({ response: Pong })],
  ])('stops the start on %s', async (_what, problem, ...controllers) => {
    await expect(boot(...controllers)).rejects.toThrow(problem);
  });
});
