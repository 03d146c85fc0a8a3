import { frozenPrincipal } from './principal.js';

it('a frozen principal has scopes of its own', () => {
  const scopes = new Set(['a']);
  const principal = frozenPrincipal({ type: 'session', buyerId: 'b', scopes });
  scopes.add('b');
  expect([...principal.scopes]).toEqual(['a']);
  expect(Object.isFrozen(principal)).toBe(true);
});
