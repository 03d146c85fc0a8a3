/**
 * Prints a CycloneDX SBOM of the service: the packages of `npm ci --omit=dev`, with the versions
 * and hashes of the lockfile. The script runs `npm sbom` on a copy of the lockfile without
 * workspaces and development packages, because `npm sbom` ignores `--omit` for the packages of a
 * workspace.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

const readJson = (name) => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));
/**
 * Returns the manifest without development packages and workspaces. JSON leaves out undefined
 * properties.
 */
const withoutDevelopment = (manifest) => ({
  ...manifest,
  devDependencies: undefined,
  workspaces: undefined,
});

const manifest = withoutDevelopment(readJson('package.json'));
const { packages, ...lockfile } = readJson('package-lock.json');
const isInstalled = ([place, { dev, link }]) => place.startsWith('node_modules/') && !dev && !link;
const installed = Object.fromEntries(Object.entries(packages).filter(isInstalled));

const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-sbom-'));
try {
  const write = (name, value) =>
    writeFileSync(path.join(folder, name), JSON.stringify(value, null, 2));
  write('package.json', manifest);
  const root = withoutDevelopment(packages['']);
  write('package-lock.json', { ...lockfile, packages: { '': root, ...installed } });
  const output = execFileSync(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  const sbom = JSON.parse(output);
  // npm names the root after its folder.
  sbom.metadata.component.name = manifest.name;
  console.log(JSON.stringify(sbom, null, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
