import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { applyPatches, plantedFaults, PROJECT } from '../soak/planted-faults.js';

const suites = readdirSync(path.join(PROJECT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.spec.ts'))
  .map((name) => path.posix.join('test', name.replaceAll(path.sep, '/')));

describe.each(['leaks', 'mutants'] as const)('the planted %s', (folder) => {
  const faults = plantedFaults(folder);

  it('are there', () => expect(faults.length).toBeGreaterThan(10));

  it.each(faults)('apply to the sources: $plants', ({ patches }) => {
    expect(() => applyPatches(PROJECT, patches, '--check')).not.toThrow();
  });

  it.each(faults)('name suites and a test that exist: $plants', ({ noticedBy, failingTest }) => {
    const found = suites.filter((suite) => new RegExp(noticedBy).test(suite));
    expect(found).not.toEqual([]);
    // A table of cases may be in another file of the folder.
    const folders = new Set(found.map((suite) => path.join(PROJECT, path.dirname(suite))));
    const texts = [...folders].flatMap((directory) =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(path.join(directory, name), 'utf8')),
    );
    expect(texts.some((text) => text.includes(failingTest ?? ''))).toBe(true);
  });
});
