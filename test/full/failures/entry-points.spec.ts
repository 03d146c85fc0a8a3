import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { childEnvironment } from '../../setup/child-environment.js';

const ROOT = path.resolve(__dirname, '../../..');
const WITHOUT_PACKAGES = pathToFileURL(path.join(ROOT, 'test/setup/without-packages.js')).href;
const IS_FASTIFY = /(^|\/)(fastify|@fastify\/.+|platform-fastify)(\/|$)/;

/**
 * Runs a module that uses the built package in a process for which packages are not installed, and
 * returns the value that it prints as JSON in one line.
 */
async function runWithout(packages: RegExp, code: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', WITHOUT_PACKAGES, '--input-type=module', '-e', code],
    { cwd: ROOT, env: childEnvironment({ WITHOUT_PACKAGES: packages.source }) },
  );
  // Lines of the service's log, each with a `msg`, can follow the outcome.
  const outcome = stdout.split('\n').findLast((line) => line !== '' && !line.includes('"msg":'));
  return JSON.parse(outcome ?? 'null');
}
const runWithoutFastify = (code: string): Promise<unknown> =>
  runWithout(/^(fastify|@fastify\/[^/]+|@nestjs\/platform-fastify)(\/|$)/, code);

describe('an application without Fastify', () => {
  it('can use the module on Express, the entities and the operations', async () => {
    const outcome = await runWithoutFastify(`
      import { createRequire } from 'node:module';
      import { Module } from '@nestjs/common';
      import { NestFactory } from '@nestjs/core';
      import { ExpressAdapter } from '@nestjs/platform-express';
      import { DealSetsModule } from '@deal-sets/service';
      import '@deal-sets/service/entities';
      import '@deal-sets/service/operations';
      const database = { url: 'postgres://127.0.0.1:1/none' };
      const settings = { isProduction: false, database };
      class Host {}
      Module({ imports: [DealSetsModule.forRoot({ settings })] })(Host);
      const app = await NestFactory.create(Host, new ExpressAdapter(), { logger: false });
      await app.listen(0, '127.0.0.1');
      const { status } = await fetch(await app.getUrl() + '/api/v1/deal-sets');
      await app.close();
      const required = Object.keys(createRequire(import.meta.url).cache);
      console.log(JSON.stringify({ status, required }));`);
    const { status, required } = outcome as { status: number; required: string[] };
    expect(status).toBe(401);
    expect(required.filter((file) => IS_FASTIFY.test(file))).toEqual([]);
  });

  it('cannot start the standalone application', async () => {
    const code = await runWithoutFastify(`
      const code = await import('@deal-sets/service/standalone').catch(({ code }) => code);
      console.log(JSON.stringify(code));`);
    expect(code).toBe('ERR_MODULE_NOT_FOUND');
  });
});

describe('an application without the MCP SDK', () => {
  it('can use everything but MCP', async () => {
    const outcome = await runWithout(
      /^@modelcontextprotocol\//,
      `import '@deal-sets/service';
      import '@deal-sets/service/entities';
      import '@deal-sets/service/operations';
      import { startService } from '@deal-sets/service/standalone';
      const database = { url: 'postgres://127.0.0.1:1/none' };
      const start = (mcp) =>
        startService({ settings: { isProduction: false, database, ...mcp }, server: { port: 0 } });
      const codeOf = (loading) => loading.then(() => 'loaded', ({ code }) => code);
      const service = await start({});
      const { status } = await fetch(service.url + '/api/v1/deal-sets');
      await service.stop();
      const standalone = await codeOf(start({ hasMcp: true, publicUrl: 'http://127.0.0.1:3000' }));
      const inHost = await codeOf(import('@deal-sets/service/mcp'));
      console.log(JSON.stringify({ status, standalone, inHost }));`,
    );
    const missing = 'ERR_MODULE_NOT_FOUND';
    expect(outcome).toEqual({ status: 401, standalone: missing, inHost: missing });
  });
});
