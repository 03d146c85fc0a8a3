import { frozenPrincipal } from '../../kernel/principal.js';
import type { Settings } from '../../config/settings.js';
import { RequestContext } from './request-context.js';
import { RequestContextService } from './request-context.service.js';

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

describe('the context of a client that left before the first guard', () => {
  it('has ended, and is recorded with its route', async () => {
    const recorded: unknown[] = [];
    const settings = { requestDeadlineMs: 1_000 } as Settings;
    const requests = new RequestContextService(settings, {
      record: ({ route, input }: RequestContext) => void recorded.push({ route, ...input }),
    } as never);
    const response = {
      req: { headers: {} },
      closed: true,
      writableFinished: false,
      setHeader: () => undefined,
      once: () => undefined,
    };
    const input = { params: {}, query: { since: 'now' } };
    const request = { ...input, routeOptions: { url: '/deal-sets' } };
    const context = requests.ofCall({
      getType: () => 'http',
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    } as never);
    expect(context.deadline.signal.aborted).toBe(true);
    await Promise.resolve();
    expect(recorded).toMatchObject([{ route: '/deal-sets', ...input }]);
  });
});
