/**
 * A host application with the real database, on Express and on Fastify: the two reads respond as in
 * the standalone application, and `@Endpoint`, `@RequireScope` and MCP work beside them.
 * `scripts/check-package.js` compiles this file against the packed tarballs, as an ES module and as
 * CommonJS.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import test from 'node:test';
import {
  CurrentPrincipal,
  DealSetsModule,
  Endpoint,
  RequireScope,
  ResponseDto,
  Shown,
  type Principal,
  type Settings,
} from '@deal-sets/service';
import { DealSetsMcpModule } from '@deal-sets/service/mcp';
import { AUDIENCE, sampleWorld, startTestService } from '@deal-sets/testing';
import { Controller, Get, Module, type DynamicModule, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const LIST = '/api/v1/deal-sets';

@ResponseDto('A greeting.')
class Greeting {
  @Shown('Who is greeted.') readonly name!: string;
}

@Controller()
class HostController {
  @Get('greeting')
  @Endpoint({ scope: 'offers:read', response: Greeting })
  greet(@CurrentPrincipal() { type }: Principal): Greeting {
    return { name: type };
  }

  @Get('profile')
  @RequireScope('offers:read')
  profile(@CurrentPrincipal() { buyerId }: Principal): object {
    return { buyerId };
  }
}

@Module({})
class HostModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: HostModule,
      imports: [DealSetsModule.forRoot({ settings }), DealSetsMcpModule],
      controllers: [HostController],
    };
  }
}

const create: Record<string, (settings: Settings) => Promise<INestApplication>> = {
  Express: (settings) =>
    NestFactory.create(HostModule.forRoot(settings), new ExpressAdapter(), { logger: false }),
  Fastify: (settings) =>
    NestFactory.create(HostModule.forRoot(settings), new FastifyAdapter(), { logger: false }),
};

for (const [adapter, createHost] of Object.entries(create)) {
  void test(`a host on ${adapter} responds as the service does`, async () => {
    const world = sampleWorld();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = { MCP: 'on', PUBLIC_URL: url, AUTH_AUDIENCE: `${AUDIENCE},${url}/mcp` };
    const service = await startTestService({ world: world.records, settings });
    const authorization = `Bearer ${await service.tokenFor(world.buyerId)}`;
    const mcpToken = await service.tokenFor(world.buyerId, { claims: { aud: `${url}/mcp` } });
    const app = await createHost(service.settings);
    try {
      await app.listen(port, '127.0.0.1');
      const text = async (address: string, headers = { authorization }) => {
        const response = await fetch(address, { headers });
        return `${response.status} ${await response.text()}`;
      };

      const list = await text(url + LIST);
      assert.match(list, /^200 /);
      const id = /"dealSetId":"([^"]+)"/.exec(list)?.[1] ?? '';
      for (const path of [LIST, `${LIST}/${id}`]) {
        assert.match(await text(url + path), /^200 /);
        assert.equal(await text(url + path), await text(service.url + path));
      }
      assert.equal(await text(`${url}/greeting`), '200 {"name":"assistant"}');
      assert.equal(await text(`${url}/profile`), `200 {"buyerId":"${world.buyerId}"}`);
      assert.match(await text(`${url}/profile`, { authorization: 'Bearer none' }), /^401 /);

      const mcp = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${mcpToken}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      });
      assert.match(`${mcp.status} ${await mcp.text()}`, /^200 .*list_price_requests/s);
    } finally {
      await app.close();
      await service.stop();
    }
  });
}

/** The address that MCP clients use is a setting, so the port is chosen before the start. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
