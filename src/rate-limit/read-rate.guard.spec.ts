import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SkipThrottle, Throttle } from '@nestjs/throttler';
import { Access, Public } from '../auth/access.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { ReadRateGuard } from './read-rate.guard.js';
import { SlidingLogStorage } from './sliding-log-storage.js';

const terms = { endpoint: 'list', scope: READ_SCOPE, rateClass: 'read' } as const;

class Handlers {
  @Access(terms)
  plain(): void {
    // Never called: only what is declared of it counts.
  }

  @Access(terms)
  @SkipThrottle()
  skipping(): void {
    // As above.
  }

  @Access(terms)
  @Throttle({ default: { limit: 1_000, ttl: 1 } })
  raised(): void {
    // As above.
  }

  @Public()
  open(): void {
    // As above.
  }
}

type Handler = keyof Handlers;

function call(handler: Handler, principal: object): ExecutionContext {
  return {
    getHandler: () => Handlers.prototype[handler],
    getClass: () => Handlers,
    switchToHttp: () => ({
      getRequest: () => ({ headers: {}, raw: { context: { principal } } }),
      getResponse: () => ({}),
    }),
  } as unknown as ExecutionContext;
}

describe('the read rate', () => {
  const buyer = { type: 'session', buyerId: 'b' };
  const assistant = { type: 'assistant', buyerId: 'b', clientId: 'c' };
  let guard: ReadRateGuard;

  beforeEach(async () => {
    guard = new ReadRateGuard(
      { throttlers: [{ limit: 2, ttl: 60_000 }], setHeaders: false },
      new SlidingLogStorage(),
      new Reflector(),
    );
    await guard.onModuleInit();
  });

  const isAdmitted = async (handler: Handler, principal: object): Promise<unknown> => {
    try {
      return await guard.canActivate(call(handler, principal));
    } catch (error) {
      return error instanceof AppError ? [error.code, error.retryAfterSeconds] : error;
    }
  };

  it('is one for all handlers together, and no decorator lifts or raises it', async () => {
    expect(await isAdmitted('plain', buyer)).toBe(true);
    expect(await isAdmitted('skipping', buyer)).toBe(true);
    for (const handler of ['plain', 'skipping', 'raised'] as const)
      expect(await isAdmitted(handler, buyer)).toEqual(['rate_limited', 60]);
  });

  it('counts a buyer and each of her assistants apart', async () => {
    for (const principal of [buyer, assistant, { ...assistant, clientId: 'other' }]) {
      expect(await isAdmitted('plain', principal)).toBe(true);
      expect(await isAdmitted('raised', principal)).toBe(true);
      expect(await isAdmitted('plain', principal)).toEqual(['rate_limited', 60]);
    }
  });

  it('leaves public handlers alone', async () => {
    for (let calls = 0; calls < 5; calls += 1) expect(await isAdmitted('open', buyer)).toBe(true);
  });
});
