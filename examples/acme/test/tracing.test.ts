import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startTestService } from '@deal-sets/testing';
import { expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');

it('records a span with http.route, whose trace id is on the log line', async () => {
  const { databaseUrl, stop } = await startTestService();
  const register = pathToFileURL(path.join(ROOT, 'test/record-spans.js')).href;
  const child = spawn(process.execPath, ['--import', register, 'dist/src/main.js'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Record<string, unknown>[] = [];
  const output = createInterface({ input: child.stdout });
  const seen = async (isIt: (line: Record<string, unknown>) => boolean) => {
    for (let tries = 0; tries < 600; tries += 1) {
      const line = lines.find(isIt);
      if (line) return line;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('the line never came');
  };
  output.on('line', (line) => line.startsWith('{') && lines.push(JSON.parse(line)));
  try {
    const { address } = await seen(({ msg }) => msg === 'listening');
    const { port } = address as { port: number };
    await fetch(`http://127.0.0.1:${port}/api/v1/deal-sets/anything`);
    const route = '/api/v1/deal-sets/:id';
    const span = await seen((line) => line['span'] === `GET ${route}`);
    expect(span['attributes']).toMatchObject({ 'http.route': route });
    const logged = await seen(({ msg, route: ofLine }) => msg === 'request' && ofLine === route);
    expect(logged['trace_id']).toBe(span['traceId']);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
    await stop();
  }
}, 90_000);
