import { frozenPrincipal, frozenSet } from './principal.js';

describe('a frozen set', () => {
  const set = frozenSet(['a', 'b']) as Set<string>;

  it('holds its values', () => {
    expect(set).toEqual(new Set(['a', 'b']));
    expect(set).not.toEqual(new Set(['a', 'c']));
    expect([set.has('a'), set.has('c'), set.size]).toEqual([true, false, 2]);
  });

  it.each([
    ['adding', () => set.add('c')],
    ['deleting', () => set.delete('a')],
    ['clearing', () => set.clear()],
    ['another method', () => Object.assign(set, { has: () => true })],
  ])('refuses %s', (_what, change) => {
    expect(change).toThrow(TypeError);
    expect([...set]).toEqual(['a', 'b']);
  });
});

it('a frozen principal has a frozen copy of its scopes', () => {
  const scopes = new Set(['a']);
  const principal = frozenPrincipal({ type: 'session', buyerId: 'b', scopes });
  scopes.add('b');
  expect([...principal.scopes]).toEqual(['a']);
  expect(Object.isFrozen(principal)).toBe(true);
});

it('a frozen principal copies scopes that are frozen but can still grow', () => {
  const scopes = Object.freeze(new Set(['a']));
  const principal = frozenPrincipal({ type: 'session', buyerId: 'b', scopes });
  scopes.add('b');
  expect([...principal.scopes]).toEqual(['a']);
});
