import { AppError } from '../../src/kernel/app-error.js';
import { eventually } from '../setup/eventually.js';
import { readsOn } from '../setup/reads-on.js';
import { ECHO, readAsSession, readSuite, SLEEP, type Echo } from './read-suite.js';

describe('a read of the database', () => {
  const suite = readSuite();

  it('starts nothing once the signal is aborted, and rejects with its reason', async () => {
    const reason = new Error('over');
    const reading = suite.reads.signIn.query(ECHO, [1], AbortSignal.abort(reason));
    await expect(reading).rejects.toBe(reason);
    expect(suite.reads.poolStates().sign_in).toMatchObject({ total: 1, idle: 1, waiting: 0 });
  });

  it('rejects at the deadline, stops the server, and never lends that connection again', async () => {
    const marker = 'm-deadline';
    const sleep = { name: 'sleep_deadline', text: `${SLEEP.text} /* ${marker} */` };
    const startedAt = performance.now();
    await expect(
      readAsSession(suite.reads, (node, signal) => node.query(sleep, [30, marker], signal), 200),
    ).rejects.toMatchObject({
      name: 'AppError',
      code: 'unavailable',
    });
    expect(performance.now() - startedAt).toBeLessThan(1500);
    await eventually(async () => expect(await suite.running(marker)).toEqual([]), 2000);
    await eventually(() => expect(suite.reads.poolStates().reader.total).toBe(0), 2000);
    expect(await suite.echo(1)).toMatchObject([{ value: 1 }]);
  });

  it('gives up at a limit of its own, and stops the server too', async () => {
    const { signal } = new AbortController();
    const sleep = { name: 'sleep_limit', text: `${SLEEP.text} /* m-limit */` };
    await expect(suite.reads.signIn.query(sleep, [30, 'x'], signal, 100)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(signal.aborted).toBe(false);
    await eventually(async () => expect(await suite.running('m-limit')).toEqual([]), 2000);
  });

  it('stops the server when the client goes away', async () => {
    const controller = new AbortController();
    const sleep = { name: 'sleep_gone', text: `${SLEEP.text} /* m-gone */` };
    const reading = suite.reads.signIn.query(sleep, [30, 'x'], controller.signal);
    const outcome = reading.then(
      () => 'answered',
      (error: unknown) => (error as AppError).code,
    );
    await eventually(async () => expect(await suite.running('m-gone')).toHaveLength(1), 5000);
    controller.abort(new AppError('unavailable'));
    expect(await outcome).toBe('unavailable');
    await eventually(async () => expect(await suite.running('m-gone')).toEqual([]), 2000);
  });

  it('cancels hundreds without ever stopping someone else, and has its connections back', async () => {
    const shared = await readsOn(suite.database.url, { poolSize: 12 });
    const strays: unknown[] = [];
    let answers = 0;
    let isDone = false;
    // Bystanders fill the very pool whose statements are being cancelled.
    const bystander = async (): Promise<void> => {
      while (!isDone) {
        const value = Math.floor(Math.random() * 1e6);
        try {
          const [row] = await readAsSession(shared, (node, signal) =>
            node.query<Echo>(
              { name: 'short', text: 'SELECT $1::int8 AS value, pg_sleep(0.002)' },
              [value],
              signal,
            ),
          );
          if (row?.value !== value) strays.push(row);
          answers++;
        } catch (error) {
          strays.push(error instanceof AppError ? (error.cause ?? error) : error);
        }
      }
    };
    const bystanders = [bystander(), bystander()];
    let aborted = 0;
    const abort = async (): Promise<void> => {
      // Around the end of the statement, where a cancel comes too late most easily.
      const budgetMs = 15 + Math.random() * 20;
      await readAsSession(
        shared,
        (node, signal) => node.query<Echo>(SLEEP, [0.028, 'abort'], signal),
        budgetMs,
      ).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'unavailable' });
        aborted++;
      });
    };
    while (aborted < 500 || answers < 100) await Promise.all(Array.from({ length: 8 }, abort));
    isDone = true;
    await Promise.all(bystanders);
    expect(strays).toEqual([]);
    await eventually(() => {
      const { total, idle, waiting } = shared.poolStates().reader;
      expect({ busy: total - idle, waiting }).toEqual({ busy: 0, waiting: 0 });
    }, 3000);
    // A server process ends a moment after its connection.
    await eventually(async () => {
      const connections = await suite.database.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'deal-sets session reads'`,
      );
      expect(connections.length).toBeLessThanOrEqual(12);
    }, 3000);
    await Promise.all(
      [1, 2, 3, 4, 5].map(async (value) => {
        const rows = await readAsSession(shared, (node, signal) =>
          node.query<Echo>(ECHO, [value], signal),
        );
        expect(rows).toMatchObject([{ value }]);
      }),
    );
    await shared.close();
  });
});
