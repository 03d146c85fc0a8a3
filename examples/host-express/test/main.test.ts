import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sampleWorld, startTestService, type TestService } from '@deal-sets/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { environmentOf } from './shop-environment.js';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));

const world = sampleWorld();
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ world: world.records });
}, 60_000);

afterAll(() => service.stop(), 30_000);

/** Starts a script in a process that cannot import Fastify. */
function startWithoutFastify(args: readonly string[]) {
  const hook = new URL('reject-fastify.js', import.meta.url).href;
  return spawn(process.execPath, ['--import', hook, ...args], {
    env: { ...environmentOf(service), PATH: process.env['PATH'], PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

it('starts without Fastify, serves the deal sets and stops on SIGTERM', async () => {
  const shop = startWithoutFastify([MAIN]);
  let errors = '';
  shop.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(shop, 'exit');
  try {
    let url: string | undefined;
    for await (const line of createInterface(shop.stdout)) {
      url = /^The shop listens on (.+)$/.exec(line)?.[1];
      if (url) break;
    }
    expect(url, errors).toBeDefined();
    shop.stdout.resume();
    const headers = { cookie: `__Host-session=${world.cookie}` };
    expect((await fetch(`${url}/shop/api/v1/deal-sets`, { headers })).status).toBe(200);
  } finally {
    shop.kill();
    await exited;
  }
}, 60_000);

it('rejects the import of Fastify in such a process', async () => {
  const child = startWithoutFastify(['--input-type=module', '--eval', "await import('fastify')"]);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdout.resume();
  expect((await once(child, 'close'))[0]).toBe(1);
  expect(errors).toContain('fastify is not installed');
});
