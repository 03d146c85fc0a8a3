import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { DEMO_BUYER_ID, DEMO_SETS } from '../../../src/demo/demo-people.js';
import { runCommand, startCommand } from '../../setup/run-command.js';

/** A demo on a machine without a database, in a folder that was empty. */
describe('the demo', () => {
  const cwd = mkdtempSync(path.join(tmpdir(), 'deal-sets-demo-'));
  let demo: ChildProcess;
  let guide: string;
  beforeAll(async () => {
    demo = startCommand(['demo'], { cwd, env: { PORT: '0' } });
    guide = await untilSaid(demo, /openapi\.json/);
  }, 120_000);
  afterAll(async () => {
    if (demo.exitCode === null) {
      demo.kill('SIGKILL');
      await once(demo, 'exit');
    }
    rmSync(cwd, { recursive: true, force: true, maxRetries: 20 });
  });

  /** The address of the list, as the guide has it. */
  const listUrl = (): string => /http\S+\/api\/v1\/deal-sets/.exec(guide)![0];

  /** Calls the guide's curl lines, each by its own text alone, in order. */
  async function curlLines(): Promise<{ line: string; status: number; body: string }[]> {
    const lines = guide.split('\n').filter((line) => line.startsWith('curl '));
    return Promise.all(
      lines.map(async (line) => {
        const header = /-H '(\S+): ([^']+)'/.exec(line);
        const url = /http[^\s']+/.exec(line)![0];
        const headers: Record<string, string> = header ? { [header[1]!]: header[2]! } : {};
        const answer = await fetch(url, { headers });
        return { line, status: answer.status, body: await answer.text() };
      }),
    );
  }

  it('prints lines that show both views, a poll, and each refusal', async () => {
    const answers = await curlLines();
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200, 200, 401, 401, 403, 404,
    ]);
    const [, buyers, , assistants, hosted, poll] = answers.map(({ body }) => body);
    expect(buyers).toContain('Lakeside Honda');
    expect(assistants).not.toMatch(/Lakeside Honda|Bexley|Hamilton/);
    expect(assistants).toContain('isVerifiedPartner');
    expect(hosted).not.toContain('isVerifiedPartner');
    expect(poll).toContain('"newReplies":{"status":"new"');
  });

  it('has a deal set in each section, each with a written price', async () => {
    const cookie = /-H '(Cookie): ([^']+)'/.exec(guide)![2]!;
    const response = await fetch(`${listUrl()}?since=1970-01-01T00:00:00Z`, {
      headers: { Cookie: cookie },
    });
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

  it('lets other commands of the folder use its database meanwhile', async () => {
    const { exitCode, stdout } = await runCommand(['session', '--buyer', DEMO_BUYER_ID], { cwd });
    expect(exitCode).toBe(0);
    const [, value] = stdout.trim().split(': ');
    const answer = await fetch(listUrl(), { headers: { Cookie: value! } });
    expect(answer.status).toBe(200);
  });

  it('shares its database with a second demo, and neither ends the session of the other', async () => {
    const second = startCommand(['demo'], { cwd, env: { PORT: '0' } });
    let said = '';
    second.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    try {
      await untilSaid(second, /openapi\.json/);
      expect(said).toMatch(/^This demo shares the database of another process [^\n]+\n$/);
      expect((await curlLines()).map(({ status }) => status)).toEqual([
        200, 200, 200, 200, 200, 200, 401, 401, 403, 404,
      ]);
    } finally {
      second.kill('SIGTERM');
      await once(second, 'exit');
    }
  }, 60_000);

  it('says in one sentence that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { exitCode, stdout, stderr } = await runCommand(['demo'], {
      cwd,
      env: { PORT: `${port}` },
    });
    other.close();
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `Port ${port} is taken: stop what listens there, or set PORT to another.\n`,
    });
  });

  it('stops on a signal, and starts again on what it left', async () => {
    demo.kill('SIGTERM');
    expect(await once(demo, 'exit')).toEqual([0, null]);
    demo = startCommand(['demo'], { cwd, env: { PORT: '0' } });
    guide = await untilSaid(demo, /openapi\.json/);
    expect((await curlLines()).map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200, 200, 401, 401, 403, 404,
    ]);
    demo.kill('SIGINT');
    expect(await once(demo, 'exit')).toEqual([0, null]);
  }, 120_000);
});

async function untilSaid(child: ChildProcess, words: RegExp): Promise<string> {
  let said = '';
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (words.test(said)) resolve(said);
    });
    child.on('exit', (code) =>
      reject(new Error(`ended with ${code ?? 'a signal'}: ${complaints}`)),
    );
  });
}
