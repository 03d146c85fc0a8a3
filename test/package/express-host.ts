/**
 * A host application on Express with the parts that an application without Fastify uses. Its test
 * sends requests over a real socket, without a database. `scripts/check-package.js` compiles this
 * file against the packed tarball, as an ES module and as CommonJS.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  CurrentPrincipal,
  DatabaseHealth,
  DealSetsModule,
  RequireScope,
  type Principal,
} from '@deal-sets/service';
import { PriceCheck } from '@deal-sets/service/entities';
import { DealSetsMcpModule } from '@deal-sets/service/mcp';
import { migrate } from '@deal-sets/service/operations';
import { Controller, Get, Module, ServiceUnavailableException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Controller()
class HostController {
  constructor(private readonly database: DatabaseHealth) {}

  @Get('profile')
  @RequireScope('profile:read')
  profile(@CurrentPrincipal() { buyerId }: Principal): object {
    return { buyerId };
  }

  @Get('health')
  async check(): Promise<void> {
    const { reason } = await this.database.check();
    if (reason !== undefined) throw new ServiceUnavailableException(reason);
  }
}

const settings = {
  isProduction: false,
  database: { url: 'postgres://127.0.0.1:1/none' },
  publicUrl: 'http://localhost:3000',
  hasMcp: true,
};

@Module({
  imports: [DealSetsModule.forRoot({ settings }), DealSetsMcpModule],
  controllers: [HostController],
})
class HostModule {}

void test('an Express host without a database rejects its requests', async () => {
  const app = await NestFactory.create(HostModule, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  try {
    const url = await app.getUrl();
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(`${url}${path}`, { method })).status;
    assert.equal(await statusOf('/api/v1/deal-sets'), 401);
    assert.equal(await statusOf('/profile'), 401);
    assert.equal(await statusOf('/mcp', 'POST'), 401);
    assert.equal(await statusOf('/health'), 503);
  } finally {
    await app.close();
  }
});

void test('the other entry points load without Fastify', () => {
  assert.equal(PriceCheck.name, 'PriceCheck');
  assert.equal(typeof migrate, 'function');
});
