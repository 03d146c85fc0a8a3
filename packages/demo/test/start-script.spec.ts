import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { temporaryDirectory } from '../../../test/setup/test-cluster.js';

const SCRIPTS = path.resolve(__dirname, '../../../scripts');

describe('npm run demo', () => {
  it('reports that the port is taken before it builds anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = spawnSync(process.execPath, [path.join(SCRIPTS, 'demo.js')], {
      // Npm is not on the path, so a build would fail with a different message.
      env: { PATH: '', PORT: String(port) },
      encoding: 'utf8',
    });
    other.close();
    expect([status, stderr]).toEqual([
      1,
      `Port ${port} is in use: stop the process that listens there, or set PORT to another port.\n`,
    ]);
  });
});

describe('npm run demo with a port that does not exist', () => {
  it.each(['abc', '70000', '0', '80.5'])('reports PORT=%s before it builds anything', (PORT) => {
    const { status, stderr } = spawnSync(process.execPath, [path.join(SCRIPTS, 'demo.js')], {
      env: { PATH: '', PORT },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, 'PORT: expected a whole number from 1 to 65535.\n']);
  });
});

/** Prints the value of an expression that may use the exports of a script. */
function evaluate(script: string, expression: string): string {
  const url = pathToFileURL(path.join(SCRIPTS, script)).href;
  const code = `import * as script from ${JSON.stringify(url)}; console.log(${expression});`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    env: childEnvironment(),
    stdio: 'pipe',
  }).trim();
}

describe('the record of a build', () => {
  const root = temporaryDirectory('build-record');
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string): void => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const inRoot = JSON.stringify(root);
  const keep = (): string =>
    evaluate('build-record.js', `script.keepBuildRecord(script.sourceHash(${inRoot}), ${inRoot})`);
  const isBuilt = (): string => evaluate('build-record.js', `script.isBuilt(${inRoot})`);

  beforeEach(() => {
    for (const name of ['package.json', 'package-lock.json']) write(name, '{}');
    write('src/main.ts', 'one');
    write('packages/demo/src/main.ts', 'two');
    write('packages/demo/dist/main.js', 'two');
    rmSync(path.join(root, 'packages/demo/dist/build-record.json'), { force: true });
  });

  it('is valid while sources and output are unchanged, even with other times and other tests', () => {
    expect(isBuilt()).toBe('false');
    keep();
    expect(isBuilt()).toBe('true');
    for (const name of ['src/main.ts', 'packages/demo/dist/main.js'])
      utimesSync(path.join(root, name), new Date(0), new Date(0));
    write('src/main.spec.ts', 'a test');
    expect(isBuilt()).toBe('true');
  });

  it.each([
    ['a source has changed', 'src/main.ts'],
    ['a source was added', 'packages/demo/src/more.ts'],
    ['the output comes from another build', 'packages/demo/dist/main.js'],
  ])('is not valid when %s', (_what, file) => {
    keep();
    write(file, 'something else');
    expect(isBuilt()).toBe('false');
  });

  it('covers only files of this checkout that no build writes', () => {
    const files = evaluate('build-record.js', 'script.sourceFiles().join("\\n")');
    expect(files).toContain('/src/main.ts\n');
    // Git prints the paths that it ignores, and exits with 1 if there are none.
    const { status, stdout } = spawnSync('git', ['check-ignore', '--stdin'], {
      cwd: SCRIPTS,
      input: files,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([1, '']);
  });
});

describe('a build', () => {
  const root = temporaryDirectory('build-folders');
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const dist = path.join(root, 'dist');
  /** Builds into `dist` and returns what that printed. */
  const replace = (write: string): string =>
    evaluate(
      'build-folders.js',
      `await script.replaceFolders(['dist'], async (placeOf) => {
        const { writeFileSync } = await import('node:fs');
        ${write}
      }, ${JSON.stringify(root)})`,
    );
  beforeEach(() => {
    rmSync(dist, { recursive: true, force: true });
    mkdirSync(dist);
    writeFileSync(path.join(dist, 'last.js'), '');
  });

  it('replaces all files of the last one', () => {
    replace("writeFileSync(placeOf('dist') + '/new.js', '');");
    expect([readdirSync(dist), existsSync(`${dist}.next`)]).toEqual([['new.js'], false]);
  });

  it.each([
    ['fails', "throw new Error('does not compile');"],
    ['is interrupted', "process.kill(process.pid, 'SIGINT'); await new Promise(() => undefined);"],
  ])('that %s leaves the last one as it was', (_what, end) => {
    const write = `writeFileSync(placeOf('dist') + '/new.js', ''); ${end}`;
    expect(() => replace(write)).toThrow();
    expect(readdirSync(dist)).toEqual(['last.js']);
  });
});
