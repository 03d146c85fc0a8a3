import { Controller, Get, Head, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { ApiSchema } from '@nestjs/swagger';
import { endpoint } from '../../builders/endpoint-policy.js';
import { ResponseDto, Shown } from '../../../src/redaction/field.decorators.js';
import { declareEndpoint, Public } from '../../../src/endpoint/endpoint-policy.js';
import { combineThrottlers, THROTTLERS } from '../../../src/rate-limit/throttlers.js';
import { CustomFieldRegistry } from '../../../src/redaction/field.js';
import { RedactionRules } from '../../../src/deal-sets/extension/redaction-rules.js';
import { HiddenFields } from '../../../src/redaction/hidden-fields.js';
import { ResponseRedaction } from '../../../src/redaction/response-redaction.js';
import { EndpointRegistry } from '../../../src/endpoint/endpoint-registry.js';
import { RouteDiscovery } from '../../../src/endpoint/route-discovery.js';
import { UndeclaredRoutes } from '../../../src/standalone/undeclared-routes.js';

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
    providers: [
      RouteDiscovery,
      EndpointRegistry,
      UndeclaredRoutes,
      ResponseRedaction,
      CustomFieldRegistry,
      { provide: HiddenFields, useValue: new RedactionRules([]) },
      {
        provide: THROTTLERS,
        useValue: combineThrottlers({ readRate: { limit: 1, windowSeconds: 1 } }, []),
      },
    ],
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

@ResponseDto('Of a name that another class has.')
class Pong {
  @Shown('A text.') readonly ping!: string;
}

/** A class with the name of another one, and another name in the API description. */
function renamedPong(): Type<object> {
  @ApiSchema({ name: 'RenamedPong' })
  @ResponseDto('Of a name that another class has.')
  class Pong {
    @Shown('A text.') readonly ping!: string;
  }
  return Pong;
}

/** A class with the name of the service's own error response. */
function namedErrorResponse(): Type<object> {
  @ResponseDto('An error response of the host application.')
  class ErrorResponse {
    @Shown('A text.') readonly ping!: string;
  }
  return ErrorResponse;
}

describe('the check of declared endpoints', () => {
  it('lets the service start when every handler declares its access', async () => {
    await expect(boot(Declared, OpenAsAWhole)).resolves.toBeUndefined();
  });

  it('lets the service start when @ApiSchema tells two response classes apart', async () => {
    const renamed = declaring({ response: renamedPong() });
    await expect(boot(Declared, renamed)).resolves.toBeUndefined();
  });

  it.each<[string, RegExp, ...Type[]]>([
    [
      'handlers that declare nothing, each by its name',
      /@Endpoint\(\.\.\.\), @RequireScope\(\.\.\.\) or @Public\(\): Forgotten\.secret, Forgotten\.more$/,
      ...[Declared, Forgotten],
    ],
    ['an inherited handler that declares nothing', /Heir\.secret/, Heir],
    ['two response classes of one name', /called Pong/, Declared, declaring({ response: Pong })],
    [
      'a response class with the name of the error response',
      /Two schemas of the API description are called ErrorResponse/,
      declaring({ response: namedErrorResponse() }),
    ],
  ])('stops the start on %s', async (_what, problem, ...controllers) => {
    await expect(boot(...controllers)).rejects.toThrow(problem);
  });
});
