/**
 * Checks that the packed service can be installed beside the newest published packages that an
 * application may have, on the Node of the image and on the oldest supported one. npm resolves the
 * versions and installs nothing.
 *
 * A release of somebody else must not stop a change of this repository, so a conflict is only
 * reported. With `--release`, it is an error.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inNewFolder, packInto, ROOT, run } from './packed-project.js';

/** The packages that an application installs with the service. */
const HOST = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/passport',
  '@nestjs/platform-fastify',
  '@nestjs/swagger',
  '@nestjs/throttler',
  '@nestjs/typeorm',
  'typeorm',
  'reflect-metadata',
  'rxjs',
];
/** The packages that it may have besides, each of which is tried alone. */
const BESIDE = ['@opentelemetry/auto-instrumentations-node', 'fastify', 'ioredis'];

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const dockerfile = readFileSync(path.join(ROOT, 'deploy/Dockerfile'), 'utf8');
const NODE_VERSIONS = [
  /^>=([\d.]+)$/.exec(manifest.engines.node)[1],
  /^ARG NODE_VERSION=(\S+)$/m.exec(dockerfile)[1],
];

inNewFolder((folder) => {
  const [{ path: tarball }] = packInto(folder);
  const host = HOST.map(newest);
  let conflicts = 0;
  for (const node of NODE_VERSIONS) {
    for (const name of BESIDE.map(newest)) {
      const conflict = conflictOf(node, [...host, name, tarball], folder);
      // What cannot be installed without the service, either, is not its conflict.
      const isOfOthers = conflict !== undefined && conflictOf(node, [...host, name], folder);
      if (conflict !== undefined && !isOfOthers) conflicts += 1;
      const result = isOfOthers ? 'conflicts without the service, too' : (conflict ?? 'resolves');
      console.log(`${name} on Node ${node}: ${result}`);
    }
  }
  console.log(`${conflicts} conflicts with the newest published packages`);
  if (conflicts > 0 && process.argv.includes('--release')) process.exitCode = 1;
});

/**
 * Returns the package in its newest version, with the number: for a name alone, npm silently chooses
 * an older version that allows this Node.
 */
function newest(name) {
  return `${name}@${run('npm', ['view', name, 'version']).trim()}`;
}

/** Returns the message of npm if it cannot resolve the packages on this Node, else undefined. */
function conflictOf(node, packages, folder) {
  const project = path.join(folder, 'project');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), '{}');
  const install = 'npm install --package-lock-only --no-audit --no-fund --loglevel=error';
  const args = ['-y', '-p', `node@${node}`, '-c', `${install} ${packages.join(' ')}`];
  const { status, stderr } = spawnSync('npx', args, { cwd: project, encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
}
