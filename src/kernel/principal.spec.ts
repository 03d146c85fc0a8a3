import { frozenPrincipal } from './principal.js';

it('copies the scopes of a frozen principal', () => {
  const scopes = new Set(['a']);
  const principal = frozenPrincipal({ type: 'session', buyerId: 'b', scopes });
  scopes.add('b');
  expect([...principal.scopes]).toEqual(['a']);
  expect(Object.isFrozen(principal)).toBe(true);
});
