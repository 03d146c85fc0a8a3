import { fitDealSet, RESULT_LIMIT, type Part, type ToolResult } from './fit-result.js';

interface Row {
  readonly id: string;
}
interface Fitted {
  readonly data: {
    readonly dealSetId: string;
    readonly ranked: readonly { readonly rows: readonly Row[] }[];
    readonly everyoneElse: Readonly<Record<string, readonly Row[]>>;
    readonly needsYou: readonly Row[];
  };
  readonly omitted?: Readonly<Record<string, number>>;
  readonly next?: { readonly part: Part; readonly from: number };
}

const rows = (prefix: string, count: number, bytes = 10_000): (Row & { words: string })[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${prefix}${index}`,
    words: 'x'.repeat(bytes),
  }));

const big = {
  data: {
    dealSetId: 'set',
    ranked: [
      { trim: 'EX', rows: rows('a', 4) },
      { trim: null, rows: rows('b', 4) },
    ],
    everyoneElse: {
      waiting: rows('w', 3),
      differentCar: [],
      ended: rows('e', 3),
      archived: rows('h', 1),
    },
    needsYou: rows('n', 2, 100),
  },
};

const valueOf = ({ value }: ToolResult): Fitted => value as unknown as Fitted;
const fitted = (part?: Part, from?: number): Fitted => valueOf(fitDealSet(big, part, from));

const idsOf = ({ data }: Fitted): string[] =>
  [
    ...data.needsYou,
    ...data.ranked.flatMap((group) => group.rows),
    ...Object.values(data.everyoneElse).flat(),
  ].map(({ id }) => id);

describe('a deal set as the result of a tool', () => {
  it('equals the body of REST when nothing is left out', () => {
    const small = { data: { ranked: [], everyoneElse: {}, needsYou: [] } };
    expect(fitDealSet(small)).toEqual({ value: small, text: JSON.stringify(small) });
  });

  it('does not exceed the limit where each row has a group of its own', () => {
    const ranked = rows('a', 400, 50).map((row) => ({ trim: 'x'.repeat(100), rows: [row] }));
    const { text, value } = fitDealSet({ data: { ...big.data, ranked } });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RESULT_LIMIT);
    expect(valueOf({ text, value }).omitted?.['ranked']).toBeGreaterThan(0);
  });

  it('stops at a whole row, counts what it leaves out and names where to continue', () => {
    const first = fitted();
    expect(idsOf(first)).toEqual(['n0', 'n1', 'a0', 'a1', 'a2', 'a3', 'b0', 'b1']);
    expect(first.omitted).toEqual({ ranked: 2, everyone_else: 7 });
    expect(first.next).toEqual({ part: 'ranked', from: 6 });
    expect(Object.keys(first.data.everyoneElse)).toEqual([
      'waiting',
      'differentCar',
      'ended',
      'archived',
    ]);
  });

  it('reads every row once by following next', () => {
    const all: string[] = [];
    let page = fitted();
    for (let pages = 0; pages < 20; pages += 1) {
      all.push(...idsOf(page));
      if (!page.next) break;
      page = fitted(page.next.part, page.next.from);
    }
    expect(all).toEqual([
      ...['n0', 'n1', 'a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'b2', 'b3'],
      ...['w0', 'w1', 'w2', 'e0', 'e1', 'e2', 'h0'],
    ]);
  });

  it('returns one part, and counts the other', () => {
    const rest = fitted('ranked', 6);
    expect(idsOf(rest)).toEqual(['b2', 'b3']);
    expect(rest.omitted).toEqual({ needs_you: 2, ranked: 6, everyone_else: 7 });
    expect(rest.next).toEqual({ part: 'everyone_else', from: 0 });
    expect(fitted('needs_you').next).toEqual({ part: 'ranked', from: 0 });

    const last = fitted('everyone_else', 5);
    expect(idsOf(last)).toEqual(['e2', 'h0']);
    expect(last).not.toHaveProperty('next');
  });

  it('treats a place after the last row as the end', () => {
    expect(idsOf(fitted('everyone_else', 99))).toEqual([]);
  });

  it('contains a single row even when that row exceeds the limit', () => {
    const response = {
      data: {
        ranked: [{ trim: null, rows: rows('a', 2, 100_000) }],
        everyoneElse: {},
        needsYou: [],
      },
    };
    const { data, next } = valueOf(fitDealSet(response));
    expect([data.ranked[0]!.rows.length, next]).toEqual([1, { part: 'ranked', from: 1 }]);
  });

  it('stops at a whole item where the items alone exceed the limit, and returns each once', () => {
    const response = {
      data: {
        ranked: [{ trim: null, rows: rows('a', 1, 10) }],
        everyoneElse: { waiting: rows('w', 1, 10) },
        needsYou: rows('n', 8),
      },
    };
    const first = fitDealSet(response);
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(RESULT_LIMIT);
    expect(JSON.parse(first.text)).toMatchObject({
      omitted: { needs_you: 2, ranked: 1, everyone_else: 1 },
      next: { part: 'needs_you', from: 6 },
    });
    const all = idsOf(valueOf(first));
    let { next } = valueOf(first);
    while (next) {
      const page = valueOf(fitDealSet(response, next.part, next.from));
      all.push(...idsOf(page));
      next = page.next;
    }
    expect(all).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'a0', 'w0']);
  });

  it('never exceeds the limit otherwise', () => {
    expect(Buffer.byteLength(fitDealSet(big).text)).toBeLessThanOrEqual(RESULT_LIMIT);
  });
});
