import { Controller, Get, Head, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { Access, Public } from './access.decorator.js';
import { AccessCheck } from './access-check.js';

@Controller('declared')
class Declared {
  @Get()
  @Access({ endpoint: 'list', scope: 'offers:read', rateClass: 'read' })
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
  @Module({ imports: [DiscoveryModule], providers: [AccessCheck], controllers })
  class App {}
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- how Nest takes its options
  const context = await NestFactory.createApplicationContext(App, {
    logger: false,
    abortOnError: false,
  });
  await context.close();
}

describe('the check of declared access', () => {
  it('lets the service start when every handler declares its access', async () => {
    await expect(boot(Declared, OpenAsAWhole)).resolves.toBeUndefined();
  });

  it('stops the start and names every handler that does not', async () => {
    await expect(boot(Declared, Forgotten)).rejects.toThrow(
      /@Access\(\.\.\.\) or @Public\(\): Forgotten\.secret, Forgotten\.more$/,
    );
  });

  it('sees inherited handlers too', async () => {
    await expect(boot(Heir)).rejects.toThrow(/Heir\.secret/);
  });
});
