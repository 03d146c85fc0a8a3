/**
 * Tests the example host applications against the packed tarballs, on the newest release of each
 * supported major version of NestJS, and that the example `proof` starts with the packed client. The
 * folders contain nothing else of this repository. Run it after `npm run build:packages`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inNewFolder, npm, packInto, report, ROOT, run } from './packed-project.js';

const EXAMPLES = ['acme', 'host-express'];
/** The packages of NestJS that the examples install, in the newest versions for each major version. */
const NEST = ['common', 'core', 'platform-express', 'platform-fastify', 'swagger', 'testing'];
const NEST_VERSIONS = [
  [...NEST.map((name) => `@nestjs/${name}@11`), '@nestjs/config@4', '@nestjs/cache-manager@3'],
  [...NEST, 'config', 'cache-manager'].map((name) => `@nestjs/${name}@12`),
];

inNewFolder(startProof);
for (const nest of NEST_VERSIONS) inNewFolder((project) => testOn(nest, project));

/** Without options, the example prints how to call it, once all of its imports are loaded. */
function startProof(project) {
  const startedAt = Date.now();
  cpSync(path.join(ROOT, 'examples/proof'), project, { recursive: true });
  const [client] = packInto(project, ['./packages/client']);
  npm(['install', client.path], project);
  const { status, stderr } = spawnSync('npm', ['start', '--silent'], {
    cwd: project,
    encoding: 'utf8',
  });
  if (status !== 2 || !stderr.startsWith('node src/prove.js ')) {
    throw new Error(`examples/proof does not start: it exits with ${status}\n${stderr}`);
  }
  report('examples/proof starts', startedAt);
}

function testOn(nest, project) {
  const tarballs = packInto(project).map((pack) => pack.path);
  for (const name of EXAMPLES) {
    cpSync(path.join(ROOT, 'examples', name), path.join(project, name), {
      recursive: true,
      filter: (source) => !/node_modules|\/dist$/.test(source),
    });
  }
  // The examples are workspaces of one project, so that everything is installed once.
  const manifest = { name: 'examples', private: true, workspaces: EXAMPLES };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
  const installing = Date.now();
  npm(['install', ...tarballs, ...nest], project);
  const installed = path.join(project, 'node_modules/@nestjs/core/package.json');
  const { version } = JSON.parse(readFileSync(installed, 'utf8'));
  report(`the examples are installed with NestJS ${version}`, installing);
  for (const name of EXAMPLES) {
    const startedAt = Date.now();
    run('npm', ['test'], path.join(project, name), 'inherit');
    report(`examples/${name} passes on NestJS ${version}`, startedAt);
  }
}
