import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SkipThrottle, Throttle } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { endpoint } from '../../test/builders/endpoint-policy.js';
import { Endpoint, Public } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { RateClasses } from './rate-classes.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { SlidingLogStorage } from './sliding-log-storage.js';

class Handlers {
  @Endpoint(endpoint())
  plain(): void {
    // Never called: only what is declared of it counts.
  }

  @Endpoint(endpoint())
  @SkipThrottle()
  skipping(): void {
    // As above.
  }

  @Endpoint(endpoint())
  @Throttle({ default: { limit: 1_000, ttl: 1 } })
  raised(): void {
    // As above.
  }

  @Endpoint(endpoint({ rateClass: 'write' }))
  writing(): void {
    // As above.
  }

  @Endpoint(endpoint({ rateClass: 'by_request' }))
  byRequest(): void {
    // As above.
  }

  @Endpoint(endpoint({ rateClass: 'broken' }))
  broken(): void {
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

describe('RateLimitGuard', () => {
  const buyer = { type: 'session', buyerId: 'b' };
  const assistant = { type: 'assistant', buyerId: 'b', clientId: 'c' };
  let guard: RateLimitGuard;

  const classes = new RateClasses(
    { readRate: { limit: 2, windowSeconds: 60 } } as never,
    { endpoints: [] } as never,
    {
      write: { limit: 1, windowSeconds: 60 },
      by_request: {
        limit: (context) => {
          const { raw } = context.switchToHttp().getRequest<FastifyRequest>();
          return Promise.resolve(raw.context.principal?.type === 'assistant' ? 1 : 3);
        },
        windowSeconds: 60,
      },
      broken: { limit: () => Number.NaN, windowSeconds: 60 },
    },
  );

  beforeEach(async () => {
    guard = new RateLimitGuard(
      {
        throttlers: [
          {
            limit: (context) => classes.limitOf(context),
            ttl: (context) => classes.windowMsOf(context),
          },
        ],
        setHeaders: false,
      },
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

  it('counts all handlers of a class together, and ignores the library’s decorators', async () => {
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

  it('counts each class apart, at its own limit', async () => {
    expect(await isAdmitted('writing', buyer)).toBe(true);
    expect(await isAdmitted('writing', buyer)).toEqual(['rate_limited', 60]);
    expect(await isAdmitted('plain', buyer)).toBe(true);
    expect(await isAdmitted('plain', buyer)).toBe(true);
    expect(await isAdmitted('plain', buyer)).toEqual(['rate_limited', 60]);
  });

  it('takes a limit from the request', async () => {
    for (let calls = 0; calls < 3; calls += 1)
      expect(await isAdmitted('byRequest', buyer)).toBe(true);
    expect(await isAdmitted('byRequest', buyer)).toEqual(['rate_limited', 60]);
    expect(await isAdmitted('byRequest', assistant)).toBe(true);
    expect(await isAdmitted('byRequest', assistant)).toEqual(['rate_limited', 60]);
  });

  it('does not take an impossible limit for none', async () => {
    expect(await isAdmitted('broken', buyer)).toEqual(
      new Error('a rate limit is a whole number of 1 or more'),
    );
  });

  it('does not limit public handlers', async () => {
    for (let calls = 0; calls < 5; calls += 1) expect(await isAdmitted('open', buyer)).toBe(true);
  });
});
