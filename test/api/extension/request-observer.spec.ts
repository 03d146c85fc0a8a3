import { connect } from 'node:net';
import { RequestObserver, type ObservedRequest } from '../../../src/index.js';
import { smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { teamSuite } from './with-team.js';

const world = smallWorld();
const GET = world.getPath;
const { withTeam } = teamSuite(world);

/** The service with an observer of one function. */
const withObserver = (
  observe: RequestObserver['observe'],
  work: (service: TestService) => Promise<void>,
): Promise<void> =>
  withTeam({ providers: [{ provide: RequestObserver, useValue: { observe } }] }, work);

describe('a request observer', () => {
  it('sees successes, refusals and aborts', async () => {
    const requests: ObservedRequest[] = [];
    await withObserver(
      (request) => void requests.push(request),
      async (service) => {
        const since = '2026-01-01T00:00:00Z';
        const answered = await service.get(`${LIST}?since=${since}`, world.session);
        expect(answered.status).toBe(200);
        expect((await service.get(`${GET}?x=1&x=2`, undefined)).status).toBe(401);
        expect((await service.send('GET', '/nowhere', undefined)).status).toBe(404);
        await eventually(() => expect(requests.length).toBeGreaterThanOrEqual(4));
        // The first is the test's own look at the API description.
        const [, list, get, nowhere] = requests;
        expect(list).toMatchObject({
          id: answered.headers['service-request-id'],
          method: 'GET',
          route: LIST,
          parameters: {},
          query: { since },
          status: 200,
          code: undefined,
          principal: { type: 'session', buyerId: world.anna.id },
        });
        expect(list?.durationMs).toBeGreaterThan(0);
        expect(get).toMatchObject({
          route: `${LIST}/:id`,
          parameters: { id: world.set.id },
          query: { x: ['1', '2'] },
          status: 401,
          code: 'unauthenticated',
          principal: undefined,
        });
        expect(nowhere).toMatchObject({ status: 404, code: 'not_found', principal: undefined });

        const client = connect(service.port, '127.0.0.1');
        client.write(
          `GET ${GET} HTTP/1.1\r\nHost: x\r\nCookie: __Host-session=${world.session.cookie}\r\n\r\n`,
          () => client.resetAndDestroy(),
        );
        await eventually(() =>
          expect(requests.some(({ status }) => status === undefined)).toBe(true),
        );
      },
    );
  });

  it.each<[string, RequestObserver['observe']]>([
    [
      'throws',
      () => {
        throw new Error('the trail of Redwood is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the trail of Redwood is full'))],
  ])('changes no response when it %s, and that is logged', async (_what, observe) => {
    await withObserver(observe, async (service) => {
      expect((await service.get(LIST, world.session)).status).toBe(200);
      expect((await service.get(LIST, undefined)).status).toBe(401);
      const failures = (): string[] =>
        service.logLines.filter((line) => line.includes('request observer failed'));
      // The test's own look at the API description is the first.
      await eventually(() => expect(failures()).toHaveLength(3));
      expect(failures().join('')).not.toContain('Redwood');
    });
  });
});
