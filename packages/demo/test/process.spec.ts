import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createServer } from 'node:net';
import type { ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { eventually } from '../../../test/setup/eventually.js';
import { runCommand } from '../../../test/setup/run-command.js';
import { temporaryDirectory } from '../../../test/setup/test-cluster.js';
import { isRunning } from '../../embedded-postgres/src/cluster.js';
import { DEMO_BUYER_ID, DEMO_SETS } from '../src/demo-world/demo-people.js';
import { DEMO_MAIN, DemoProcess } from './demo-process.js';

async function inShell(script: string): Promise<string> {
  const options = { env: childEnvironment(), maxBuffer: 1 << 24 };
  return (await promisify(execFile)('/bin/sh', ['-c', script], options)).stdout;
}

describe('the demo and its embedded PostgreSQL', () => {
  const directory = temporaryDirectory('demo-process');
  chmodSync(directory, 0o755);
  let demo: DemoProcess | undefined;

  afterAll(async () => {
    if (demo?.child.exitCode === null && demo.child.signalCode === null)
      await demo.interrupt('SIGKILL');
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  });

  it('print shell commands that show both views, a poll, and each rejection', async () => {
    demo = await DemoProcess.start(directory);
    const expected = [200, 200, 200, 200, 200, 200, 401, 401, 403, 404];
    const text = await demo.curlText();
    // Replace each response with its status.
    const short = text.replaceAll(/^show (-i )?/gm, "curl -s -o /dev/null -w '%{http_code}\n' ");
    const statuses = (await inShell(short)).match(/^\d{3}$/gm);
    expect(statuses).toEqual(expected.map(String));
    const stdout = await inShell(text);
    expect(stdout).toContain('Lakeside Honda');
    expect(stdout).toMatch(/"newReplies": \{\s+"status": "new"/);
    // Headers, an empty line, the body, an empty line, and the label of the next response.
    expect(stdout).toMatch(
      /^HTTP\/1\.1 401 [^{]*\r\n\r\n\{\n {2}"error": \{[^}]*\}\n\}\n\n== 5\. .+\nHTTP\/1\.1/m,
    );
    expect(demo.output).not.toContain('oidc-provider');
  });

  it('have a deal set in each section, each with a written price', async () => {
    const response = await demo!.list('?since=1970-01-01T00:00:00Z');
    const { data } = (await response.json()) as { data: ListEntry[] };
    const sections = data
      .filter((entry) => entry.kind === 'deal_set')
      .map((entry) => [entry.dealSetId, entry.section, entry.lowestWrittenOtdCents]);
    expect(sections.sort()).toEqual([
      [DEMO_SETS.ready, 'ready', 3_987_000],
      [DEMO_SETS.inProgress, 'in_progress', 4_431_000],
      [DEMO_SETS.ended, 'inactive', 5_264_000],
    ]);
  });

  it('let other commands use the database that is printed', async () => {
    const env = { DATABASE_URL: demo!.databaseUrl };
    const { exitCode, stdout } = await runCommand(['session', '--buyer', DEMO_BUYER_ID], { env });
    expect(exitCode).toBe(0);
    const answer = await fetch(`${demo!.url}/api/v1/deal-sets`, {
      headers: { cookie: stdout.trim().replace('Cookie: ', '') },
    });
    expect(answer.status).toBe(200);
  });

  it('are shared by a second demo of the folder', async () => {
    const second = await DemoProcess.start(directory);
    expect(second.output).toMatch(/^This demo shares the database of another process/m);
    expect([(await second.list()).status, (await demo!.list()).status]).toEqual([200, 200]);
    expect(await second.interrupt('SIGTERM')).toEqual([0, null]);
    expect((await demo!.list()).status).toBe(200);
  });

  it('report in one sentence that the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const child = spawn(process.execPath, [DEMO_MAIN], {
      cwd: directory,
      env: childEnvironment({ PORT: String(port) }),
    });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    expect(await once(child, 'exit')).toEqual([1, null]);
    other.close();
    expect(said).toContain(
      `Port ${port} is in use: stop the process that listens there, or set PORT to another port.\n`,
    );
  });

  it('stop cleanly on Ctrl-C and leave nothing running', async () => {
    const { postgresPid } = demo!;
    expect(await demo!.interrupt('SIGINT')).toEqual([0, null]);
    expect(demo!.output).toMatch(/^Stopped\.$/m);
    expect(isRunning(postgresPid)).toBe(false);
    expect(existsSync(path.join(directory, '.data/postgres/postmaster.pid'))).toBe(false);
  });

  it('survive kill -9: the next start recovers by itself', async () => {
    demo = await DemoProcess.start(directory);
    const { postgresPid } = demo;
    await demo.interrupt('SIGKILL');
    demo = await DemoProcess.start(directory);
    expect((await demo.list()).status).toBe(200);
    expect(demo.postgresPid).not.toBe(postgresPid);
    await eventually(() => expect(isRunning(postgresPid)).toBe(false));
  });
});
