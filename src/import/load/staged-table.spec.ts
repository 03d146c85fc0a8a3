import { Buyer, DealSet } from '../../database/entities.js';
import { stagedTable } from './staged-table.js';

describe('stagedTable', () => {
  it('takes table, key, columns and types from the entity', () => {
    expect(stagedTable(Buyer)).toEqual({
      table: 'buyer',
      staging: 'staged_buyer',
      key: ['id'],
      columns: [
        { name: 'id', type: 'uuid', path: 'id', value: `(record #>> '{id}')::uuid` },
        {
          name: 'changes_granted',
          type: 'boolean',
          path: 'changesGranted',
          value: `coalesce((record #>> '{changesGranted}')::boolean, false)`,
        },
      ],
      aside: [],
    });
  });

  it('finds values in parts of the record, under other names, and nowhere', () => {
    const { columns } = stagedTable(DealSet, {
      parts: ['car'],
      paths: { buyerZip: 'search.zip', radiusMiles: null },
    });
    const values = new Map(columns.map(({ name, value }) => [name, value]));
    expect(values.get('car_exterior_color')).toBe(`(record #>> '{car,exteriorColor}')::text`);
    expect(values.get('buyer_zip')).toBe(`(record #>> '{search,zip}')::text`);
    expect(values.get('radius_miles')).toBe('NULL::double precision');
  });

  it('rejects the path of a property that is not inserted', () => {
    expect(() => stagedTable(Buyer, { paths: { name: 'name' } as never })).toThrow(
      'Buyer does not insert name',
    );
  });
});
