import { assertCompatible } from './compatibility.js';

describe('the range of versions that extensions were made for', () => {
  it.each([
    [undefined, '2.0.0'],
    ['^2.0', '2.0.0'],
    ['^2.0', '2.7.1'],
    ['>=2.1 <4', '3.0.0'],
    ['^2.0', '2.1.0-beta.1'],
  ])('%s holds %s', (range, version) => {
    expect(() => assertCompatible(range, version)).not.toThrow();
  });

  it.each([
    ['^2.1', '2.0.9'],
    ['^2.0', '3.0.0'],
    ['^1.0', '2.0.0'],
  ])('%s does not hold %s, and the error names both', (range, version) => {
    expect(() => assertCompatible(range, version)).toThrow(
      `made for deal-sets ${range}, and this is ${version}`,
    );
  });

  it('must be a range', () => {
    expect(() => assertCompatible('two', '2.0.0')).toThrow(
      'expected a range of versions like ^2.0',
    );
  });
});
