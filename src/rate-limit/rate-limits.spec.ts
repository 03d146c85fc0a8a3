import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import { REQUEST_CONTEXT } from '../http/request-context.js';
import { rateLimits } from './rate-limits.js';

const settings = { readRate: { limit: 5, windowSeconds: 60 } };
const notes: ThrottlerOptions = { name: 'notes', limit: 2, ttl: 1000 };

/** Returns the execution context of a call to a handler of this rate class. */
function callOf(rateClass: string): ExecutionContext {
  const request = { [REQUEST_CONTEXT]: { policy: { rateClass } } };
  return { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
}

describe('the throttlers of the service', () => {
  it('are those of the settings and of the host application, none with a block of its own', () => {
    const { throttlers, setHeaders } = rateLimits(settings, [{ ...notes, blockDuration: 9000 }]);
    expect(throttlers).toEqual([
      {
        name: 'read',
        limit: 5,
        ttl: 60_000,
        blockDuration: 0,
        skipIf: expect.any(Function) as unknown,
      },
      { ...notes, blockDuration: 0, skipIf: expect.any(Function) as unknown },
    ]);
    expect(setHeaders).toBe(true);
  });

  it('count only the endpoints of their own class', () => {
    const { throttlers } = rateLimits(settings, [notes]);
    const counted = (rateClass: string): unknown[] =>
      throttlers.filter(({ skipIf }) => !skipIf?.(callOf(rateClass))).map(({ name }) => name);
    expect(counted('read')).toEqual(['read']);
    expect(counted('notes')).toEqual(['notes']);
  });

  it.each([
    ['the class of the service', [{ ...notes, name: 'read' }], 'the name read belongs to the two'],
    ['no name', [{ limit: 1, ttl: 1 }], 'expected a name, not undefined'],
    ['an empty name', [{ ...notes, name: '' }], 'expected a name, not ""'],
    ['a name twice', [notes, notes], 'the name notes is given twice'],
    ['a limit of 0', [{ ...notes, limit: 0 }], 'notes: expected a limit and a ttl of at least 1'],
    ['no limit', [{ ...notes, limit: undefined as never }], 'notes: expected a limit and a ttl'],
    ['a ttl of words', [{ ...notes, ttl: 'minute' as never }], 'notes: expected a limit and a ttl'],
  ])('stop the boot with %s', (_what, own, problem) => {
    expect(() => rateLimits(settings, own)).toThrow(`throttlers: ${problem}`);
  });

  it('accept a limit that depends on the request', () => {
    expect(rateLimits(settings, [{ ...notes, limit: () => 1 }]).throttlers).toHaveLength(2);
  });
});
