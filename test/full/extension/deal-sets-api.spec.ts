import { AppError, DealSetsApi } from '../../../src/index.js';
import { assistantOf, sessionOf } from '../../../packages/testing/src/principals.js';
import { smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import type { Credential, TestService } from '../../setup/test-service.js';
import { hostSuite } from '../../api/extension/with-host.js';

const world = smallWorld();
const EPOCH = '1970-01-01T00:00:00Z';
const session = sessionOf(world.buyer.id);
const assistant = assistantOf(world.buyer.id);
const suite = hostSuite(world);

const withApi = (
  env: Record<string, string>,
  work: (api: DealSetsApi, service: TestService, credential: Credential) => Promise<void>,
): Promise<void> =>
  suite.withHost(
    {},
    (service, credential) => work(service.app.get(DealSetsApi), service, credential),
    { env },
  );

/** The error code of a call. */
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'none',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

describe('DealSetsApi', () => {
  it('returns byte for byte what the endpoints return for each principal, and rejects what they reject', () =>
    withApi({}, async (api, service, credential) => {
      for (const [principal, who] of [
        [session, world.session],
        [assistant, credential],
      ] as const) {
        expect(JSON.stringify(await api.get(principal, world.set.id))).toBe(
          (await service.get(world.getPath, who)).text,
        );
        const plain = await service.get(LIST, who);
        const listed = await api.list(principal);
        expect(JSON.stringify(listed.response)).toBe(plain.text);
        expect(listed).toMatchObject({
          hasMore: plain.headers['service-more'] === 'true',
          asOf: null,
        });
        const page = await api.list(principal, { since: EPOCH });
        expect(JSON.stringify(page.response)).toBe(
          (await service.get(`${LIST}?since=${EPOCH}`, who)).text,
        );
        expect(Date.parse(page.asOf!)).toBeGreaterThan(0);
      }
      // Scope, input rules and the type of the caller.
      const narrow = { ...assistant, scopes: new Set<string>() };
      expect(await codeOf(api.list(narrow))).toBe('insufficient_scope');
      expect(await codeOf(api.list(session, { since: 'yesterday' }))).toBe('invalid_request');
      expect(await codeOf(api.get(session, 'none'))).toBe('not_found');
      expect(await codeOf(api.list({ ...session, type: 'dealer' } as never))).toBe(
        'unauthenticated',
      );
    }));

  it('applies the rollout of each endpoint, reports which are on, and counts in the endpoints’ rate class', () =>
    withApi({ ROLLOUT_GET: 'off', READ_RATE_LIMIT: '3' }, async (api, service) => {
      const { signal } = new AbortController();
      expect(await api.isOn('get', session, signal)).toBe(false);
      expect(await api.isOn('list', session, signal)).toBe(true);
      expect(await codeOf(api.get(session, world.set.id))).toBe('not_found');
      expect(await codeOf(api.list(session))).toBe('none');
      expect((await service.get(LIST, world.session)).status).toBe(200);
      expect(await codeOf(api.list(session))).toBe('none');
      expect((await service.get(LIST, world.session)).status).toBe(429);
      expect(await codeOf(api.list(session))).toBe('rate_limited');
    }));

  it('rejects a page size below 1, with which a poll would pass every change', () =>
    withApi({}, async (api) => {
      for (const pageSize of [0, 0.5, -1, NaN]) {
        expect(await codeOf(api.list(session, { since: EPOCH, pageSize }))).toMatchObject({
          message: 'pageSize: expected an integer of at least 1',
        });
      }
      const { response } = await api.list(session, { since: EPOCH, pageSize: 1 });
      expect(response.data).toHaveLength(1);
    }));

  it('ends with the reason of its signal, or at the deadline of the contract without a signal', () =>
    withApi({ REQUEST_DEADLINE_MS: '500' }, async (api) => {
      const over = AbortSignal.abort(new AppError('unavailable'));
      expect(await codeOf(api.list(session, {}, over))).toBe('unavailable');
      await suite.database.query(
        'BEGIN; LOCK TABLE deal_sets.price_check IN ACCESS EXCLUSIVE MODE',
      );
      try {
        expect(await codeOf(api.get(session, world.set.id))).toBe('unavailable');
      } finally {
        await suite.database.query('ROLLBACK');
      }
    }));
});
