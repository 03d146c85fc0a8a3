/**
 * Tests as a host application writes them: a unit test of a controller, and one with the real
 * service. `scripts/check-package.js` runs this file with each test runner of its README, against
 * the packed tarballs.
 */
import assert from 'node:assert/strict';
import {
  CurrentPrincipal,
  DealSetsModule,
  Endpoint,
  ResponseDto,
  Shown,
  SignIn,
  type Principal,
} from '@deal-sets/service';
import { sampleWorld, startTestService } from '@deal-sets/testing';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';

/** A global of both runners. */
declare const test: (name: string, run: () => Promise<void>, limitMs: number) => void;

const LIMIT_MS = 120_000;

@ResponseDto('A greeting.')
class Greeting {
  @Shown('The words.') readonly words!: string;
}

@Injectable()
class Words {
  readonly greeting = 'Hello';
}

@Controller('greeting')
class GreetingController {
  // The type of the parameter must be in the metadata that the runner's compiler writes.
  constructor(private readonly words: Words) {}

  @Get()
  @Endpoint({ scope: 'offers:read', response: Greeting })
  greet(@CurrentPrincipal() { type }: Principal): Greeting {
    return { words: `${this.words.greeting}, ${type}` };
  }
}

@Module({ controllers: [GreetingController], providers: [Words] })
class GreetingModule {}

const buyer: Principal = { type: 'session', buyerId: '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d' };

test(
  'a controller with @Endpoint, with a caller in place of sign-in',
  async () => {
    // No server listens at this address: the controller does not read from the database.
    const settings = { database: { url: 'postgres://127.0.0.1:1/none' }, isProduction: false };
    const module = await Test.createTestingModule({
      imports: [DealSetsModule.forRoot({ settings }), GreetingModule],
    })
      .overrideProvider(SignIn)
      .useValue({ authenticate: () => buyer })
      .compile();
    const app = module.createNestApplication(new FastifyAdapter());
    try {
      await app.listen(0, '127.0.0.1');
      const response = await fetch(`${await app.getUrl()}/greeting`);
      assert.equal(await response.text(), '{"words":"Hello, session"}');
    } finally {
      await app.close();
    }
  },
  LIMIT_MS,
);

test(
  'the same controller in the real service',
  async () => {
    const world = sampleWorld();
    const service = await startTestService({
      hostOptions: { imports: [GreetingModule] },
      world: world.records,
    });
    try {
      const authorization = `Bearer ${await service.tokenFor(world.buyerId)}`;
      const get = (path: string) => fetch(service.url + path, { headers: { authorization } });
      assert.equal((await get('/api/v1/deal-sets')).status, 200);
      assert.equal(await (await get('/greeting')).text(), '{"words":"Hello, assistant"}');
    } finally {
      await service.stop();
    }
  },
  LIMIT_MS,
);
