import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import { RateClass } from './rate-class.decorator.js';
import { rateLimits } from './rate-limits.js';

const settings = { readRate: { limit: 5, windowSeconds: 60 } };
const notes: ThrottlerOptions = { name: 'notes', limit: 2, ttl: 1000 };

class Controller {
  @RateClass('read')
  read(): void {
    return;
  }
  @RateClass('notes')
  notes(): void {
    return;
  }
}

/** Returns the execution context of a call to one of the handlers above. */
function callOf(handler: keyof Controller): ExecutionContext {
  return {
    getHandler: () => Controller.prototype[handler],
    getClass: () => Controller,
  } as unknown as ExecutionContext;
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
    const counted = (handler: keyof Controller): unknown[] =>
      throttlers.filter(({ skipIf }) => !skipIf?.(callOf(handler))).map(({ name }) => name);
    expect(counted('read')).toEqual(['read']);
    expect(counted('notes')).toEqual(['notes']);
  });

  it.each([
    ['the class of the service', [{ ...notes, name: 'read' }], 'read'],
    ['no name', [{ limit: 1, ttl: 1 }], 'undefined'],
    ['a name twice', [notes, notes], 'notes'],
  ])('stop the boot with %s', (_what, own, name) => {
    expect(() => rateLimits(settings, own)).toThrow(
      `throttlers: expected a unique name, not ${name}`,
    );
  });
});
