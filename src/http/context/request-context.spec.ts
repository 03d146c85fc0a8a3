import { frozenPrincipal } from '../../kernel/principal.js';
import { RequestContext } from './request-context.js';

const BUYER = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';

describe('the principal of a request', () => {
  it('is set once: a second call throws, and the first principal stays', () => {
    const context = new RequestContext({} as RequestContext['response'], 1_000, undefined);
    const session = (buyerId: string) =>
      frozenPrincipal({ type: 'session', buyerId, scopes: new Set<string>() });
    expect(context.principal).toBeUndefined();
    context.setPrincipal(session(BUYER));
    expect(() => context.setPrincipal(session(OTHER))).toThrow('is already signed in');
    expect(context.principal?.buyerId).toBe(BUYER);
    context.end(true);
  });
});
