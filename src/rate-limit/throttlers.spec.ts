import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import { REQUEST_CONTEXT } from '../http/context/request-context.js';
import { combineThrottlers } from './throttlers.js';

const settings = { readRate: { limit: 5, windowSeconds: 60 } };
const notes: ThrottlerOptions = { name: 'notes', limit: 2, ttl: 1000 };

/** Returns the execution context of a call to a handler of this rate class. */
function callOf(rateClass: string): ExecutionContext {
  const request = { [REQUEST_CONTEXT]: { policy: { rateClass } } };
  return { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
}

describe('the throttlers of the service', () => {
  it('are those of the settings and of the host application', () => {
    const skipIf = expect.any(Function) as unknown;
    expect(combineThrottlers(settings, [notes])).toEqual([
      { name: 'read', limit: 5, ttl: 60_000, skipIf },
      { ...notes, skipIf },
    ]);
  });

  it('count only the endpoints of their own class', () => {
    const throttlers = combineThrottlers(settings, [notes]);
    const counted = (rateClass: string): unknown[] =>
      throttlers.filter(({ skipIf }) => !skipIf?.(callOf(rateClass))).map(({ name }) => name);
    expect(counted('read')).toEqual(['read']);
    expect(counted('notes')).toEqual(['notes']);
  });

  it('count the class default for a throttler without a name, as the library names it', () => {
    const [, unnamed] = combineThrottlers(settings, [{ limit: 2, ttl: 1000 }]);
    expect(unnamed?.name).toBe('default');
    expect(unnamed?.skipIf?.(callOf('default'))).toBe(false);
  });

  it.each([
    ['the class of the service', [{ ...notes, name: 'read' }], 'the name read belongs to the two'],
    ['a name twice', [notes, notes], 'the name notes is given twice'],
    [
      'no name twice',
      [
        { limit: 1, ttl: 1 },
        { limit: 2, ttl: 1 },
      ],
      'the name default is given',
    ],
  ])('stop the boot with %s', (_what, own, problem) => {
    expect(() => combineThrottlers(settings, own)).toThrow(`throttlers: ${problem}`);
  });
});
