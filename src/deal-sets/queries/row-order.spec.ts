import { inFeedOrder, inListOrder } from './row-order.js';

const list = [
  { kind: 'deal_set', requestedAt: '2026-03-01 10:00:00.51+00', id: 'b' },
  { kind: 'deal_set', requestedAt: '2026-03-01 10:00:00.5+00', id: 'c' },
  { kind: 'deal_set', requestedAt: '2026-03-01 10:00:00+00', id: 'a' },
  { kind: 'deal_set', requestedAt: '2026-03-01 10:00:00+00', id: 'd' },
  { kind: 'single', requestedAt: '2026-04-01 10:00:00+00', id: 'e' },
  { kind: 'single', requestedAt: '2026-03-01 10:00:00.000001+00', id: 'f' },
] as const;
const feed = [
  { feedAt: '2026-03-01T10:00:00.000Z', kind: 'deal_set', id: 'b' },
  { feedAt: '2026-03-01T10:00:00.000Z', kind: 'single', id: 'a' },
  { feedAt: '2026-03-01T10:00:00.000Z', kind: 'single', id: 'c' },
  { feedAt: '2026-03-01T10:00:00.001Z', kind: 'deal_set', id: 'a' },
] as const;

/** Every way to take one element to another place. */
function moved<T>(rows: readonly T[]): T[][] {
  return rows.flatMap((row, from) =>
    rows.map((_row, to) => rows.toSpliced(from, 1).toSpliced(to, 0, row)),
  );
}

describe('rows of a page', () => {
  it('are left as they are when the plan kept their order', () => {
    expect(inListOrder(list)).toBe(list);
    expect(inFeedOrder(feed)).toBe(feed);
    expect(inFeedOrder([])).toEqual([]);
  });

  it('are brought into the order of the list or of the feed from any other', () => {
    for (const rows of moved(list)) expect(inListOrder(rows)).toEqual(list);
    for (const rows of moved(feed)) expect(inFeedOrder(rows)).toEqual(feed);
  });
});
