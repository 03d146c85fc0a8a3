import assert from 'node:assert/strict';
import type { CustomField, CustomFieldRequest } from '@deal-sets/service';
import { assertCustomFieldValue } from '@deal-sets/service/operations';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';

/** The custom field under test, and a request for it. */
export interface CustomFieldFixture {
  readonly field: () => CustomField;
  /**
   * Returns a request like those of the service: at least two ids of one buyer, one of them with a
   * value.
   */
  readonly request: () => CustomFieldRequest | Promise<CustomFieldRequest>;
  /** Creates a field whose dependency hangs, and a request; null for a field without I/O. */
  readonly hung: HungFixture<{ readonly field: CustomField; readonly request: CustomFieldRequest }>;
}

/** Returns the tests of a custom field's `load`. */
export function customFieldContract(fixture: CustomFieldFixture): readonly ContractTest[] {
  const { field, request, hung } = fixture;
  const load = async (
    signal: AbortSignal,
    over: Partial<CustomFieldRequest> = {},
  ): Promise<ReadonlyMap<string, unknown>> => {
    const values: unknown = await field().load({ ...(await request()), ...over }, signal);
    assert.ok(values instanceof Map, 'load did not return a Map');
    return values as ReadonlyMap<string, unknown>;
  };
  return [
    inTime('returns a value of the declared type for at least one of the ids', async (signal) => {
      const { ids } = await request();
      const values = await load(signal);
      const found = ids.map((id) => values.get(id) ?? null);
      for (const value of found) assertCustomFieldValue(field(), value);
      assert.ok(
        found.some((value) => value !== null),
        'no id has a value',
      );
    }),

    inTime('returns the same value for an id alone and among others', async (signal) => {
      const { ids } = await request();
      const together = await load(signal);
      for (const id of ids) {
        const alone = await load(signal, { ids: [id] });
        assert.deepEqual(alone.get(id) ?? null, together.get(id) ?? null);
      }
    }),

    ...givesUpHungCalls(hung, async (fixture, signal) =>
      fixture.field.load(fixture.request, signal),
    ),
  ];
}
