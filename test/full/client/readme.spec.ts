import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { dealership, dealSet, load, priceCheck } from '../../builders/index.js';
import { childEnvironment } from '../../setup/child-environment.js';
import { eventually } from '../../setup/eventually.js';
import { FeedWorld, insertSingle } from '../../setup/feed-world.js';

const PACKAGE = join(__dirname, '../../../packages/client');
const README_ID = '5e000000-0000-4000-8000-000000000001';
const examples = [
  ...readFileSync(join(PACKAGE, 'README.md'), 'utf8').matchAll(/```ts\n([^]*?)```/g),
].map(([, code]) => code!);

let world: FeedWorld;
/**
 * Contains the packages of the repository, so that the examples import the built client by its
 * name.
 */
let folder: string;
beforeAll(async () => {
  if (!existsSync(join(PACKAGE, 'dist/index.js'))) throw new Error('run `npm run build` first');
  folder = mkdtempSync(join(tmpdir(), 'readme-'));
  symlinkSync(join(PACKAGE, '../../node_modules'), join(folder, 'node_modules'));
  world = await FeedWorld.start({ buyers: 1 });
  await world.loadHistory(world.buyer, 2, 0);
  await load(world.database, [dealSet({ id: README_ID, buyerId: world.buyer.id })]);
});
const children: ChildProcess[] = [];
afterAll(async () => {
  // An example that follows changes ends only when it is stopped, and a failed test does not stop
  // it.
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  await world.stop();
});

/**
 * Runs an example in its own Node process, after the code in `before`. `ended` resolves to its
 * output and exit code.
 */
function run(index: number, before = '') {
  const file = join(folder, `example-${index + 1}.mjs`);
  const { outputText } = ts.transpileModule(before + examples[index]!, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  writeFileSync(file, outputText);
  const { token } = world.buyer.assistant;
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: childEnvironment({ DEAL_SETS_URL: world.service.url, DEAL_SETS_TOKEN: token }),
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (text += data.toString()));
  return {
    output: () => text,
    stop: () => void child.kill('SIGTERM'),
    ended: new Promise<string>((resolve) =>
      child.on('close', (code) => resolve(`${text}exit ${code}`)),
    ),
  };
}
const outputOf = (index: number, before?: string): Promise<string> => run(index, before).ended;

describe('the examples of the client’s README', () => {
  it('are seven, and compile', () => {
    expect(examples).toHaveLength(7);
    const files = examples.map((code, index) => {
      const file = join(folder, `typed-${index + 1}.mts`);
      writeFileSync(file, code);
      return file;
    });
    const program = ts.createProgram(files, {
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      types: ['node'],
      noPropertyAccessFromIndexSignature: true,
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
    expect(problems).toEqual([]);
  });

  it('list the active requests', async () => {
    const output = await outputOf(0);
    expect(output.match(/^single /gm)).toHaveLength(2);
    expect(output).toMatch(/^deal_set \d+/m);
    expect(output).toMatch(/exit 0$/);
  });

  it('read one deal set', async () => {
    expect(await outputOf(1)).toBe('exit 0');
    expect(await outputOf(1, `process.env['DEAL_SETS_TOKEN'] = 'x';`)).toMatch(/unauthenticated/);
  });

  it('read everything, follow changes, and resume where they ended', async () => {
    const saved = (): string => readFileSync(join(folder, 'as-of.txt'), 'utf8');
    const first = run(2);
    await eventually(() => expect(first.output()).toMatch(/^3 changed\n\d changed/));
    first.stop();
    expect(await first.ended).toMatch(/exit 0$/);
    const firstAsOf = saved();
    await world.database.query(insertSingle(world)[1]);
    const second = run(2);
    await eventually(() => expect(second.output()).toMatch(/^[1-4] changed/));
    await eventually(() => expect(Date.parse(saved())).toBeGreaterThan(Date.parse(firstAsOf)));
    second.stop();
    expect(await second.ended).toMatch(/exit 0$/);
  });

  it('read with the session’s cookie', async () => {
    const { cookie } = world.buyer.session;
    // The parts of a browser that Node lacks: a page, and a cookie jar for it.
    const browser = `
      globalThis.location = new URL('/garage', process.env.DEAL_SETS_URL) as never;
      const nodeFetch = globalThis.fetch;
      globalThis.fetch = (url, init) => nodeFetch(url, init?.credentials === 'include'
        ? { ...init, headers: { ...init.headers, cookie: '__Host-session=${cookie}' } } : init);
    `;
    expect(await outputOf(3, browser)).toBe('0 requests need you\nexit 0');
  });

  it('refresh a token and report errors', async () => {
    expect(await outputOf(4)).toMatch(/^\d requests\nexit 0$/);
    const refused = await outputOf(4, `process.env['DEAL_SETS_TOKEN'] = 'not.a.token';`);
    expect(refused).toMatch(/^unauthenticated 401 \S+\nexit 0$/);
  });

  it('show the response of a call', async () => {
    expect(await outputOf(5)).toMatch(
      /^\d requests in response \S+\nQuota: "\S+";r=\d+.*\nexit 0$/,
    );
  });

  it('write the copy of a buyer, without the dealerships that are hidden', async () => {
    const { cookie } = world.buyer.session;
    const shop = dealership();
    await load(world.database, [
      shop,
      priceCheck({ buyerId: world.buyer.id, dealSetId: README_ID, dealershipId: shop.id }),
    ]);
    const before = `process.env['DEAL_SETS_COOKIE'] = '__Host-session=${cookie}';`;
    const output = await outputOf(6, before);
    expect(output).toMatch(/exit 0$/);
    const copy = JSON.parse(output.replace(/exit 0$/, '')) as {
      readonly entries: readonly object[];
      readonly dealSets: readonly { readonly counts: { readonly waiting: number } }[];
    };
    expect(copy.entries.length).toBeGreaterThanOrEqual(3);
    expect(copy.dealSets.map(({ counts }) => counts.waiting)).toEqual([1]);
    expect(output).not.toContain(shop.name);
  });
});
