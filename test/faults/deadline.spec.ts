import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../setup/eventually.js';
import { keepFigure } from '../setup/figures.js';
import { LIST } from '../setup/http-call.js';
import {
  createFaultWorld,
  serverConnections,
  slowest,
  slowReads,
  timed,
  type Call,
  type FaultWorld,
} from './fault-world.js';

/** A second of a slow machine. */
const SLACK_MS = 1_000;
/** Half a second for the database to stop, and as much for a slow machine. */
const QUIET_MS = 1_000;

/** Whoever holds a lock; a test that fails leaves it to be ended afterwards. */
const holders: Client[] = [];
const endHolders = (): Promise<unknown> => Promise.all(holders.splice(0).map((one) => one.end()));

/** Nobody may read price checks until the returned call. */
async function lockReads(world: FaultWorld): Promise<() => Promise<unknown>> {
  const holder = new Client({ connectionString: world.database.url });
  holders.push(holder);
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE price_check, request_feed IN ACCESS EXCLUSIVE MODE');
  return endHolders;
}

/** Every call at once answers as if nothing had been. */
async function expectAnswers(world: FaultWorld): Promise<void> {
  const answers = await Promise.all(world.calls.map((call) => timed(world.service, call)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers[2]!.text).not.toContain('could_not_check');
  expect(answers[2]!.text).toContain('newReplies');
}

/** Milliseconds until nothing of the service runs in the database any more. */
async function quietAfterMs(world: FaultWorld): Promise<number> {
  const startedAt = performance.now();
  await eventually(async () =>
    expect(await serverConnections(world.database)).toMatchObject({ active: 0 }),
  );
  return performance.now() - startedAt;
}

/** Calls and hangs up after so long; resolves when the connection is closed. */
function hangUp(world: FaultWorld, { path, credential }: Call, afterMs: number): Promise<void> {
  return new Promise((resolve) => {
    const headers =
      credential && 'cookie' in credential
        ? { cookie: `__Host-session=${credential.cookie}` }
        : { authorization: `Bearer ${credential?.token ?? ''}` };
    const sent = request({
      host: '127.0.0.1',
      port: world.service.port,
      path,
      headers,
      agent: false,
    });
    sent.on('error', () => undefined);
    sent.on('response', (response) => response.resume());
    sent.on('close', resolve);
    sent.end();
    setTimeout(() => sent.destroy(), afterMs);
  });
}

afterEach(endHolders);

describe('a read slower than the deadline', () => {
  let world: FaultWorld;

  afterEach(async () => {
    await endHolders();
    await world.stop();
  });

  it('is answered 503 at the 8 seconds of the contract, and the database stops working on it', async () => {
    world = await createFaultWorld();
    await expectAnswers(world);
    const before = await serverConnections(world.database);
    const unlock = await lockReads(world);
    const answers = await Promise.all(world.calls.map((call) => timed(world.service, call)));
    const quietMs = await quietAfterMs(world);
    for (const { status, code, tookMs } of answers) {
      expect([status, code]).toEqual([503, 'unavailable']);
      expect(tookMs).toBeGreaterThan(7_900);
      expect(tookMs).toBeLessThan(8_000 + SLACK_MS);
    }
    expect(quietMs).toBeLessThan(QUIET_MS);
    await unlock();
    await expectAnswers(world);
    const after = await serverConnections(world.database);
    // Each call may have made one where the others were busy: none was lost on the way.
    expect(after.total).toBeLessThanOrEqual(before.total + world.calls.length);
    keepFigure({
      fault: 'lock on a table, deadline of 8,000 ms',
      answeredMs: slowest(answers),
      connections: `${before.total} → ${after.total}`,
      note: `statements gone within ${Math.round(quietMs)} ms`,
    });
  });

  it('is answered at once when its statement is over by then, also for many more reads than connections', async () => {
    world = await createFaultWorld({
      env: { REQUEST_DEADLINE_MS: '1500', DATABASE_POOL_SIZE: '3' },
    });
    const unlock = await lockReads(world);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.calls.map((call) => timed(world.service, call)),
      ).flat(),
    );
    const quietMs = await quietAfterMs(world);
    for (const { code, tookMs } of answers) {
      expect(code).toBe('unavailable');
      expect(tookMs).toBeLessThan(1_500 + SLACK_MS);
    }
    expect(quietMs).toBeLessThan(QUIET_MS);
    await unlock();
    await expectAnswers(world);
    keepFigure({
      fault: 'lock on a table, 40 reads on 6 connections, deadline of 1,500 ms',
      answeredMs: slowest(answers),
      note: `statements gone within ${Math.round(quietMs)} ms`,
    });
  });
});

describe('a client that goes away', () => {
  let world: FaultWorld;

  beforeAll(async () => {
    world = await createFaultWorld();
    for (const call of world.calls) await timed(world.service, call);
  });
  afterAll(() => world.stop());

  it('has its read cancelled', async () => {
    const unlock = await lockReads(world);
    const gone = Promise.all(world.calls.map((call) => hangUp(world, call, 400)));
    await eventually(async () =>
      expect(await serverConnections(world.database)).toMatchObject({ active: 4 }),
    );
    await gone;
    const quietMs = await quietAfterMs(world);
    await unlock();
    expect(quietMs).toBeLessThan(QUIET_MS);
    keepFigure({
      fault: 'client goes away',
      note: `its statement gone within ${Math.round(quietMs)} ms`,
    });
  });

  it('never takes another caller’s read along, hundreds of times; and the pool is as before', async () => {
    await slowReads(world.database, 0.01);
    const before = await serverConnections(world.database);
    let shed = 0;
    let answered = 0;
    let isDone = false;
    const bystander = async (call: Call): Promise<void> => {
      while (!isDone) {
        const answer = await timed(world.service, call);
        if (answer.status === 200) answered++;
        else shed++;
      }
    };
    const bystanders = world.calls.map(bystander);
    let aborted = 0;
    while (aborted < 320 || answered < 150) {
      await Promise.all(
        world.calls.flatMap((call) => [1, 2].map(() => hangUp(world, call, Math.random() * 25))),
      );
      aborted += 8;
    }
    isDone = true;
    await Promise.all(bystanders);
    await quietAfterMs(world);
    // PostgreSQL's word for a statement that was cancelled: of callers who stayed there is none.
    const strays = world.service.logLines.filter(
      (line) => line.includes('57014') && !line.includes('"isAborted":true'),
    );
    expect(strays).toEqual([]);
    // A machine that is slow to make new connections sends a few away.
    expect(shed).toBeLessThan(answered / 20);
    // Some of them did run when their client left: the rest were before or after.
    const cut = world.service.logLines.filter((line) => line.includes('"isAborted":true')).length;
    expect(cut).toBeGreaterThan(50);
    await expectAnswers(world);
    const after = await serverConnections(world.database);
    expect(after.total).toBeLessThanOrEqual(3 * 10);
    keepFigure({
      fault: `${aborted} clients hang up amid ${answered} ordinary reads`,
      connections: `${before.total} → ${after.total}`,
      lost: strays.length,
      note: 'lost: reads hit by a stray cancel',
    });
  });
});

describe('a caller whose sign-in passed', () => {
  it('gets unavailable when the database is lost then', async () => {
    const world = await createFaultWorld();
    await lockReads(world);
    const pending = world.calls.map((call) => timed(world.service, call));
    await eventually(async () =>
      expect(await serverConnections(world.database)).toMatchObject({ active: 4 }),
    );
    await sleep(100);
    await world.proxy.refuse();
    await endHolders();
    const answers = await Promise.all(pending);
    for (const { status, code, headers } of answers) {
      expect([status, code]).toEqual([503, 'unavailable']);
      if (headers['retry-after'] !== undefined)
        expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
    expect(slowest(answers)).toBeLessThan(2_000 + SLACK_MS);
    await world.proxy.accept();
    keepFigure({ fault: 'database lost after sign-in', answeredMs: slowest(answers) });
    expect(await timed(world.service, { path: LIST, credential: world.session })).toMatchObject({
      status: 200,
    });
    await world.stop();
  });
});
