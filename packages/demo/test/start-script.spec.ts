import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
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

describe('the record of a build', () => {
  const root = temporaryDirectory('build-record');
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string): void => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const run = (code: string): string =>
    execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import * as record from ${JSON.stringify(pathToFileURL(path.join(SCRIPTS, 'build-record.js')).href)};
         const root = ${JSON.stringify(root)};
         console.log(${code});`,
      ],
      { encoding: 'utf8', env: childEnvironment() },
    ).trim();
  const keep = (): string => run('record.keepBuildRecord(record.sourceHash(root), root)');
  const isBuilt = (): string => run('record.isBuilt(root)');

  beforeEach(() => {
    for (const name of ['package.json', 'package-lock.json', 'nest-cli.json']) write(name, '{}');
    write('src/main.ts', 'one');
    write('packages/demo/src/main.ts', 'two');
    write('packages/demo/dist/main.js', 'two');
    rmSync(path.join(root, 'packages/demo/dist/build-record.json'), { force: true });
  });

  it('is valid while sources and output are unchanged, even with other times of the sources', () => {
    expect(isBuilt()).toBe('false');
    keep();
    expect(isBuilt()).toBe('true');
    utimesSync(path.join(root, 'src/main.ts'), new Date(), new Date());
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
});
