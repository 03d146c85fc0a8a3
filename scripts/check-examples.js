/**
 * Tests the example host applications against the packed tarballs, on the lowest and on the newest
 * supported version of NestJS, in a separate folder that contains nothing else of this repository.
 * Run it after `npm run build:packages`.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inNewFolder, npm, packInto, report, ROOT, run } from './packed-project.js';

const EXAMPLES = ['acme', 'host-express'];
const NEST = ['common', 'core', 'platform-express', 'platform-fastify', 'testing'].map(
  (name) => `@nestjs/${name}`,
);
const LOWEST_NEST = '12.0.4';

inNewFolder((project) => {
  const tarballs = packInto(project).map((pack) => pack.path);
  for (const name of EXAMPLES) {
    cpSync(path.join(ROOT, 'examples', name), path.join(project, name), {
      recursive: true,
      filter: (source) => !/node_modules|\/dist$/.test(source),
    });
  }
  // The examples are workspaces of one project, so that everything is installed once; then the
  // newest NestJS replaces the lowest.
  const manifest = { name: 'examples', private: true, workspaces: EXAMPLES };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
  for (const nestVersion of [LOWEST_NEST, '12']) testOn(nestVersion, tarballs, project);
});

function testOn(nestVersion, tarballs, project) {
  const installing = Date.now();
  npm(['install', ...tarballs, ...NEST.map((name) => `${name}@${nestVersion}`)], project);
  const installed = path.join(project, 'node_modules/@nestjs/core/package.json');
  const { version } = JSON.parse(readFileSync(installed, 'utf8'));
  report(`the examples are installed with NestJS ${version}`, installing);
  for (const name of EXAMPLES) {
    const startedAt = Date.now();
    run('npm', ['test'], path.join(project, name), 'inherit');
    report(`examples/${name} passes on NestJS ${version}`, startedAt);
  }
}
