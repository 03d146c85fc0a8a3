import { readFileSync } from 'node:fs';
import { loadSettings } from './settings.js';

describe('.env.example', () => {
  const text = readFileSync('.env.example', 'utf8');
  const listed = [...text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)];

  it('lists every setting the loader reads, and no other', () => {
    const read = new Set<unknown>();
    loadSettings(new Proxy({}, { get: (_env, name) => void read.add(name) }));
    expect(new Set(listed.map(([, name]) => name))).toEqual(read);
  });

  it('shows the defaults', () => {
    expect(
      loadSettings(Object.fromEntries(listed.map(([, name = '', value]) => [name, value]))),
    ).toEqual(loadSettings({}));
  });
});
