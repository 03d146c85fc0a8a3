import { setImmediate } from 'node:timers/promises';
import { BuyersInLine } from './buyers-in-line.js';

describe('BuyersInLine', () => {
  let line: BuyersInLine;
  let events: string[];
  beforeEach(() => {
    line = new BuyersInLine();
    events = [];
  });

  const task = (name: string) => async () => {
    events.push(`${name} begins`);
    await setImmediate();
    events.push(`${name} ends`);
  };

  it('runs tasks one after the other', async () => {
    await Promise.all([line.run('anna', task('one')), line.run('ben', task('two'))]);
    expect(events).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('alternates between buyers', async () => {
    const ready: string[] = [];
    const run = async (buyerId: string, name: string): Promise<void> => {
      await line.run(buyerId, task(name));
      ready.push(name);
    };
    await Promise.all([
      run('anna', 'a1'),
      run('anna', 'a2'),
      run('anna', 'a3'),
      run('ben', 'b1'),
      run('ben', 'b2'),
      run('cleo', 'c1'),
    ]);
    expect(ready).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('settles like the task, and continues after one that fails', async () => {
    const failure = new Error('no');
    const failed = line.run('anna', () => Promise.reject(failure));
    const next = line.run('anna', task('next'));
    await expect(failed).rejects.toBe(failure);
    await next;
    expect(events).toEqual(['next begins', 'next ends']);
  });

  it('begins again when it was empty', async () => {
    await line.run('anna', task('first'));
    await line.run('anna', task('second'));
    expect(events).toHaveLength(4);
  });
});
