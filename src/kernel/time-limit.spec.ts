import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterTime, TimeLimitError, untilAborted, withTimeLimit } from './time-limit.js';

const never = (): Promise<never> => new Promise(() => undefined);

describe('afterTime', () => {
  it('calls back once, and not before its time', async () => {
    const startedAt = performance.now();
    const reached = jest.fn();
    await new Promise<void>((resolve) => {
      afterTime(20, () => {
        reached();
        resolve();
      });
    });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(19);
    await sleep(40);
    expect(reached).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['before its time', 5],
    ['when its time is up and the sockets are being read', 0],
  ])('does not call back once it is cancelled %s', (_when, beforeMs) => {
    // Timers of the machine could run apart although they have the same time.
    jest.useFakeTimers();
    try {
      const reached = jest.fn();
      const cancel = afterTime(10, reached);
      setTimeout(cancel, 10 - beforeMs);
      jest.advanceTimersByTime(10);
      jest.runAllTimers();
      expect(reached).not.toHaveBeenCalled();
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('untilAborted', () => {
  it('settles as the work does, and leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const remove = jest.spyOn(signal, 'removeEventListener');
    await expect(untilAborted(signal, Promise.resolve(1))).resolves.toBe(1);
    await expect(untilAborted(signal, Promise.reject(new Error('own')))).rejects.toThrow('own');
    expect(remove).toHaveBeenCalledTimes(2);
  });

  it('rejects with the reason when the signal is aborted, before or during the work', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(controller.signal, never());
    const reason = new Error('over');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(untilAborted(controller.signal, never())).rejects.toBe(reason);
  });
});

describe('withTimeLimit', () => {
  it('returns the result of the work, with and without a promise', async () => {
    for (const result of [1, null, Promise.resolve(2)]) {
      expect(await withTimeLimit(1000, undefined, () => result)).toBe(await result);
    }
  });

  it('rejects with the error of the work, thrown at once or later', async () => {
    const failure = new Error('own');
    const throwing = (): never => {
      throw failure;
    };
    for (const work of [throwing, () => Promise.reject(failure)]) {
      await expect(withTimeLimit(1000, undefined, work)).rejects.toBe(failure);
    }
  });

  it('aborts the signal of the work when its time is up, and does not wait for the work', async () => {
    let workSignal: AbortSignal | undefined;
    const startedAt = performance.now();
    const work = withTimeLimit(20, undefined, (signal) => {
      workSignal = signal;
      return never();
    });
    await expect(work).rejects.toBeInstanceOf(TimeLimitError);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(19);
    expect(workSignal?.reason).toBeInstanceOf(TimeLimitError);
  });

  it('aborts the signal of the work with the reason of the parent when the parent aborts first', async () => {
    const parent = new AbortController();
    const reason = new Error('the client left');
    let workSignal: AbortSignal | undefined;
    const work = withTimeLimit(1000, parent.signal, (signal) => {
      workSignal = signal;
      return never();
    });
    parent.abort(reason);
    await expect(work).rejects.toBe(reason);
    expect(workSignal?.reason).toBe(reason);
  });

  it('does not begin when the parent is already aborted', async () => {
    const reason = new Error('over');
    const work = jest.fn();
    await expect(withTimeLimit(1000, AbortSignal.abort(reason), work)).rejects.toBe(reason);
    expect(work).not.toHaveBeenCalled();
  });

  it('aborts nothing once the work has ended, and leaves no listener on the parent', async () => {
    const parent = new AbortController();
    const remove = jest.spyOn(parent.signal, 'removeEventListener');
    let workSignal: AbortSignal | undefined;
    await withTimeLimit(10, parent.signal, (signal) => (workSignal = signal));
    parent.abort();
    await sleep(30);
    expect(workSignal?.aborted).toBe(false);
    expect(remove).toHaveBeenCalledTimes(1);
  });
});
