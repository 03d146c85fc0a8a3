import assert from 'node:assert/strict';
import type { CustomField, CustomFieldRequest } from '@deal-sets/service';
import { assertCustomFieldValue } from '@deal-sets/service/operations';
import { inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';

/** How the suite calls a custom field. */
export interface CustomFieldFixture {
  readonly field: () => CustomField;
  /**
   * Returns a request as the service makes it: at least two ids of one buyer, one of them with a
   * value.
   */
  readonly request: () => CustomFieldRequest | Promise<CustomFieldRequest>;
  /** The field and a request on a dependency that hangs; null for a field without I/O. */
  readonly hung: HungFixture<{ readonly field: CustomField; readonly request: CustomFieldRequest }>;
}

/** The requirements on the loader of every custom field. */
export function customFieldContract(fixture: CustomFieldFixture): readonly ContractTest[] {
  const { field, request, hung } = fixture;
  const load = async (
    signal: AbortSignal,
    over: Partial<CustomFieldRequest> = {},
  ): Promise<ReadonlyMap<string, unknown>> => {
    const values: unknown = await field().load({ ...(await request()), ...over }, signal);
    assert.ok(values instanceof Map, 'load returned no Map');
    return values as ReadonlyMap<string, unknown>;
  };
  return [
    inTime('returns a value of the declared type for one of the ids at least', async (signal) => {
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
