import { readFileSync } from 'node:fs';
import { READING_SETTINGS } from '../../src/database/session-settings.js';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** SQL scripts cannot import the constants of the source code, so they repeat some of them. */
describe('constants that SQL scripts repeat from the source code', () => {
  it('include the settings of the reading roles', () => {
    const [, list = ''] =
      /setting SLICE 1 IN ARRAY ARRAY\[(.*?)\n\s*\] LOOP/s.exec(read('sql/roles.sql')) ?? [];
    const settings = Array.from(list.matchAll(/\['(\w+)', '(\w+)'\]/g), ([, name = '', value]) => [
      name.toLowerCase(),
      value,
    ]);
    expect(Object.fromEntries(settings)).toEqual(READING_SETTINGS);
  });
});
