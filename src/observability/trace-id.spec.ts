import { traceIdsOf } from './trace-id.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('traceIdsOf', () => {
  it.each([
    [`00-${ID}-00f067aa0ba902b7-01`, ID],
    [`cc-${ID}-00f067aa0ba902b7-01-more`, ID],
    [`00-${ID}-00f067aa0ba902b7-01-more`, undefined],
    [`ff-${ID}-00f067aa0ba902b7-01`, undefined],
    [`00-${ID.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', undefined],
    [`00-${ID}-0000000000000000-01`, undefined],
    [`00-${ID}`, undefined],
  ])('returns the trace id of %s', (traceparent, traceId) => {
    expect(traceIdsOf(traceparent)).toEqual(traceId && { traceId });
  });
});
