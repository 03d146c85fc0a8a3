import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from './deadline.js';

describe('a part of a deadline', () => {
  let deadline: Deadline;
  beforeEach(() => (deadline = new Deadline(60_000)));
  afterEach(() => deadline.finish());

  it('ends when its time is up, also when nothing waits for it', async () => {
    const part = deadline.within(20);
    expect([part.reason, part.remainingMs > 0]).toEqual([undefined, true]);
    await sleep(40);
    expect([part.reason?.code, part.remainingMs]).toEqual(['unavailable', 0]);
    expect(deadline.reason).toBeUndefined();
  });

  it('calls what waits for it when its time is up', async () => {
    const part = deadline.within(20);
    await expect(part.race(new Promise(() => undefined))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('aborts its signal when its time is up', async () => {
    const { signal } = deadline.within(20);
    expect(signal.aborted).toBe(false);
    // Its timer keeps no process alive, so one of the test's own does.
    const patience = setTimeout(() => undefined, 5_000);
    await new Promise((resolve) => (signal.onabort = resolve));
    clearTimeout(patience);
    expect(signal.aborted).toBe(true);
  });

  it.each([
    ['read', (part: Deadline) => part.reason],
    ['waited for', (part: Deadline) => part.onEnd(() => undefined)],
    ['read by its signal', (part: Deadline) => part.signal.aborted],
  ])('ends with the deadline, when it is %s before and after', (_how, look) => {
    const part = deadline.within(30_000);
    look(part);
    deadline.end();
    look(part);
    expect(part.reason?.code).toBe('unavailable');
    expect(part.signal.aborted).toBe(true);
  });

  it('ends at once within a deadline that is over', () => {
    deadline.end();
    const part = deadline.within(30_000);
    const ended = jest.fn();
    part.onEnd(ended);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(() => part.throwIfOver()).toThrow();
  });

  it('ends no more once it is finished', async () => {
    const part = deadline.within(10);
    part.finish();
    await sleep(30);
    deadline.end();
    expect(part.reason).toBeUndefined();
  });
});
