import { withTimeout } from './with-timeout.js';

const never = new Promise<string>(() => undefined);
const late = (): never => {
  throw new Error('late');
};

describe('withTimeout', () => {
  it('settles as work that is in time', async () => {
    expect(await withTimeout(Promise.resolve('done'), 10_000, late)).toBe('done');
    await expect(withTimeout(Promise.reject(new Error('no')), 10_000, late)).rejects.toThrow('no');
  });

  it('gives the value, or throws the error, of the time-out', async () => {
    expect(await withTimeout(never, 5, () => 'in place')).toBe('in place');
    await expect(withTimeout(never, 5, late)).rejects.toThrow('late');
  });

  it('leaves no timer behind', async () => {
    jest.useFakeTimers();
    try {
      await withTimeout(Promise.resolve(1), 10_000, late);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
