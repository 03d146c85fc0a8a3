import assert from 'node:assert/strict';
import type { OrderedRow, RowOrder } from '../deal-sets/additions/row-order.js';
import { compileSerializer, type Audience } from '../response-shape/compile-serializer.js';
import { Row } from '../deal-sets/dto/row.js';
import type { ContractTest } from './contract-test.js';

const ROW = {
  rowKey: 'row-1',
  label: '',
  hidden: true,
  chosen: false,
  archived: false,
  state: 'written',
  ended: null,
  statusLabel: '',
  otdCents: 3_000_000,
  sellingPriceCents: 2_800_000,
  listedAtCents: 3_100_000,
  writtenAt: '2026-01-03T00:00:00.000Z',
  gapToLowestCents: null,
  canChoose: false,
  canUnlock: true,
  quotedTrim: 'EX-L',
  distanceMiles: 10,
  distanceBand: '10 to 25 miles',
  priceCheckHref: null,
  isVerifiedPartner: true,
};
const AUDIENCES: readonly Audience[] = ['session', 'assistant', 'hosted-assistant'];

/** Rows as each kind of principal gets them, with and without what may be unknown. */
function sampleRows(audience: Audience): OrderedRow[] {
  const write = compileSerializer(Row, audience, new Set());
  const unknown = { sellingPriceCents: null, listedAtCents: null, quotedTrim: null };
  return [
    ROW,
    { ...ROW, ...unknown, rowKey: 'row-2' },
    { ...ROW, rowKey: 'row-3', hidden: false, chosen: true, distanceMiles: 12.4 },
    { ...ROW, rowKey: 'row-4', distanceMiles: null, distanceBand: null },
  ].map((row) => Object.freeze(JSON.parse(write(row)) as OrderedRow));
}

/** What every order of rows must do. */
export function rowOrderContract({ order }: { readonly order: RowOrder }): readonly ContractTest[] {
  const test = (name: string, work: (rows: readonly OrderedRow[]) => void): ContractTest => ({
    name,
    async run() {
      await Promise.resolve();
      for (const audience of AUDIENCES) work(sampleRows(audience));
    },
  });
  return [
    test('has a key for every row, of one type for each principal', (rows) => {
      const keys: unknown[] = rows.map((row) => order(row));
      const isTotal =
        keys.every((key) => Number.isFinite(key)) || keys.every((key) => typeof key === 'string');
      assert.ok(isTotal, 'the keys are neither finite numbers alone nor strings alone');
    }),

    test('depends on the row alone', (rows) => {
      const first = rows.map((row) => order(row));
      const again = rows.toReversed().map((row) => order(row));
      assert.deepEqual(again.reverse(), first);
    }),
  ];
}
