import { DealSetsError } from '../src/index.js';

describe('DealSetsError', () => {
  it('carries code, status, request id and wait', () => {
    const cause = new Error('reset');
    const error = new DealSetsError('Try later.', {
      code: 'unavailable',
      status: 503,
      requestId: 'r-1',
      retryAfterMs: 2000,
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'DealSetsError',
      message: 'Try later.',
      code: 'unavailable',
      status: 503,
      requestId: 'r-1',
      retryAfterMs: 2000,
      cause,
    });
  });
});
