import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeWith, findProgram } from '../../setup/describe-with.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';

const PROJECT = path.resolve(__dirname, '../../..');
const UNIT = readFileSync(path.join(PROJECT, 'deploy/deal-sets.service'), 'utf8');

describe('deploy/deal-sets.service', () => {
  it('lets the service list the network interfaces, as Fastify does on 0.0.0.0', () => {
    const families = /^RestrictAddressFamilies=(.*)$/m.exec(UNIT)?.[1]?.split(' ');
    expect(families ?? ['AF_NETLINK']).toContain('AF_NETLINK');
  });
});

describeWith(findProgram('systemd-analyze'), 'systemd-analyze', 'deploy/deal-sets.service', () => {
  const directory = temporaryDirectory('systemd');
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('is a valid unit of systemd', () => {
    const file = path.join(directory, 'deal-sets.service');
    writeFileSync(file, UNIT.replace('/usr/bin/node', process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], {
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  it('waits longer than the service takes to stop, with the documented delay', () => {
    const settings = readFileSync(path.join(PROJECT, 'docs/operations/install.md'), 'utf8');
    const [delay, grace, stop] = [
      /^SHUTDOWN_DELAY_MS=(\d+)$/m.exec(settings),
      /^SHUTDOWN_GRACE_MS=(\d+)$/m.exec(readFileSync(path.join(PROJECT, '.env.example'), 'utf8')),
      /^TimeoutStopSec=(\d+)s$/m.exec(UNIT),
    ].map((match) => Number(match?.[1]));
    expect(stop! * 1000).toBeGreaterThan(delay! + grace!);
  });
});
