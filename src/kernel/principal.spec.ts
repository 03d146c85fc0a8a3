import { frozenPrincipal } from './principal.js';

it('copies the scopes of a frozen principal', () => {
  const scopes = new Set(['a']);
  const principal = frozenPrincipal({
    type: 'assistant',
    buyerId: 'b',
    clientId: 'c',
    scopes,
    isHosted: true,
    seesChanges: false,
  });
  scopes.add('b');
  expect([...principal.scopes]).toEqual(['a']);
  expect(Object.isFrozen(principal)).toBe(true);
});
