import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { load } from '../../builders/index.js';
import { TestService } from '../../setup/test-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { agent, headerOf, rawAnswer, type RawAnswer } from './raw-response.js';
import { idOf, KIND } from './twin-worlds.js';
import type { ImportRecord } from '../../../src/import/records/record-kinds.js';

/** A service on one of two databases that are compared. */
export interface Side {
  readonly database: TestDatabase;
  readonly service: TestService;
}

/** Both sides, started before the tests of a suite. `sides` is filled by then. */
export function startSides(
  recordsOfSide: (side: 0 | 1) => ImportRecord[],
  limitMs: number,
): Side[] {
  const sides: Side[] = [];
  beforeAll(async () => {
    sides.push(...(await Promise.all([startSide(recordsOfSide(0)), startSide(recordsOfSide(1))])));
  }, limitMs);
  afterAll(async () => {
    agent.destroy();
    for (const side of sides) {
      await side.service.stop();
      await side.database.drop();
    }
  });
  return sides;
}

async function startSide(records: ImportRecord[]): Promise<Side> {
  const database = await createTestDatabase();
  await load(database, records, { isBackfill: true });
  // A request without a known time is placed where it was recorded: here at the same time on both sides.
  await database.query(
    `UPDATE request_feed SET feed_at = timestamptz '2026-03-01Z'
       + ('x' || substr(md5(request_id::text), 1, 5))::bit(20)::integer * interval '1 millisecond'
     WHERE NOT is_time_known`,
  );
  await database.query('ANALYZE');
  const service = await TestService.start({ database });
  await warmUp({ database, service });
  // While a writer is active, `Service-As-Of` depends on stored times alone, not on the clock.
  await database.query('SELECT pg_advisory_lock(deal_sets.feed_lock_key())');
  return { database, service };
}

/** On a busy machine a service that just started may not have its keys yet: it responds with 503 until then. */
async function warmUp(side: Side): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    const response = await rawAnswer(side.service.port, LIST, await asAssistant(0)(side), 'GET');
    if (response.status === 200) return;
    if (performance.now() > until) throw new Error(`not ready: ${response.body}`);
    await pause(200);
  }
}

export const cookieOf = (pair: number): string =>
  `session-of-pair-${String(pair).padStart(8, '0')}`;

export const LIST = '/api/v1/deal-sets';
export const EPOCH = `${LIST}?since=1970-01-01T00:00:00Z`;

export type SignIn = (side: Side) => Promise<Record<string, string>>;
export const asAssistant =
  (pair: number, claims: Record<string, unknown> = {}): SignIn =>
  async ({ service }) => ({
    authorization: `Bearer ${(await service.tokenFor(idOf(pair, KIND.buyer), claims)).token}`,
  });
export const asBuyer =
  (pair: number): SignIn =>
  () =>
    Promise.resolve({ cookie: `__Host-session=${cookieOf(pair)}` });

export interface Exchange {
  readonly what: string;
  readonly responses: readonly [RawAnswer, RawAnswer];
}

/** The same calls to both sides; further pages follow the first side's headers. */
export async function exchanges(
  sides: readonly Side[],
  signIn: SignIn,
  targets: readonly string[],
  polls: readonly string[],
): Promise<Exchange[]> {
  const headers = await Promise.all(sides.map(signIn));
  const ask = async (
    what: string,
    method = 'GET',
    more: Record<string, string> = {},
  ): Promise<Exchange> => {
    const [one, two] = await Promise.all(
      sides.map(({ service }, index) =>
        verified(() => rawAnswer(service.port, what, { ...headers[index], ...more }, method)),
      ),
    );
    return { what: `${method} ${what}`, responses: [one!, two!] };
  };
  const done: Exchange[] = [];
  for (const target of targets) {
    done.push(await ask(target), await ask(target, 'HEAD'));
  }
  for (const poll of polls) {
    let next: string | undefined = poll;
    for (let page = 0; next !== undefined && page < 10; page += 1) {
      const exchange = await ask(next);
      done.push(exchange);
      const asOf = headerOf(exchange.responses[0], 'Service-As-Of');
      next =
        headerOf(exchange.responses[0], 'Service-More') === 'true'
          ? `${LIST}?since=${asOf ?? ''}`
          : undefined;
    }
  }
  return done;
}

/**
 * A response after sign-in. Both services share this process with the tests, so that a look-up of sign-in can
 * exceed its second on a busy machine: `auth_unverifiable`, before anything of the buyer is read. A HEAD has no
 * code; its GET is compared as well.
 */
async function verified(call: () => Promise<RawAnswer>): Promise<RawAnswer> {
  for (let tries = 0; ; tries++) {
    const response = await call();
    const isUnverified =
      response.status === 503 &&
      (response.body === '' || response.body.includes('"auth_unverifiable"'));
    if (!isUnverified || tries === 20) return response;
    await pause(250);
  }
}

export const isSame = ({ responses: [one, two] }: Exchange): boolean =>
  one.status === two.status &&
  one.body === two.body &&
  one.headers.join('\n') === two.headers.join('\n');

/** The first difference of two responses, for the failure message. */
export function differenceOf({ what, responses: [one, two] }: Exchange): object {
  const at = Array.from(one.body).findIndex((byte, index) => byte !== two.body[index]);
  return {
    what,
    status: [one.status, two.status],
    headers: [one.headers, two.headers].map((lines, side) =>
      lines.filter((line) => !(side === 0 ? two : one).headers.includes(line)),
    ),
    body:
      at < 0
        ? 'one is the beginning of the other'
        : [one, two].map((response) => response.body.slice(Math.max(0, at - 80), at + 80)),
  };
}
