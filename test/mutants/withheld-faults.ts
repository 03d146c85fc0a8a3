import type { Replacement } from '../setup/planted-fault.js';
import type { Fault } from './fault.js';

/** Two databases that differ in withheld values alone; an assistant must get the same bytes of both. */
export const NONINTERFERENCE = { suites: 'redaction/noninterference.spec', test: 'byte for byte' };

/** The two lower locks: an assistant's statements select what is withheld, and its role may read it. */
export const WIDE_OPEN: readonly [Replacement, Replacement] = [
  {
    where: 'src/deal-sets/domain/disclosure.ts',
    from: 'READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: false',
    to: 'READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: true',
  },
  {
    where: 'database',
    to: 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO deal_sets_assistant',
  },
];

/** A field that is withheld from an assistant. */
interface WithheldField {
  readonly field: string;
  /** How its description begins; absent for a field whose description another has too. */
  readonly about?: string;
  /** The file in `src/deal-sets/queries` that selects it, and the column with its type. */
  readonly selected?: readonly [file: string, column: string, type: string];
  /** Where the value is withheld once more, before the declaration. */
  readonly also?: Replacement;
  /** The test that notices another declaration. Default: `NONINTERFERENCE`. */
  readonly failing?: Fault['failing'];
}

const carPart = (name: string, about: string, column: string): WithheldField => ({
  field: `car.${name}`,
  about: `${about} of the posted configuration`,
  selected: ['result-statement', column, 'text'],
});

const WITHHELD: readonly WithheldField[] = [
  carPart('trim', 'Trim', 's.car_trim'),
  carPart('exteriorColor', 'Exterior colour', 's.car_exterior_color'),
  carPart('interiorColor', 'Interior colour', 's.car_interior_color'),
  carPart('drivetrain', 'Drivetrain', 's.car_drivetrain'),
  carPart('powertrain', 'Powertrain', 's.car_powertrain'),
  {
    field: 'search.buyerZip',
    about: 'The buyer’s search ZIP code',
    selected: ['result-statement', 's.buyer_zip', 'text'],
  },
  {
    field: 'search.radiusMiles',
    about: 'The search radius',
    selected: ['result-statement', 's.radius_miles', 'double precision'],
  },
  {
    field: 'counts.total',
    about: 'Dealerships the search found',
    selected: ['result-statement', 's.dealers_found', 'integer'],
  },
  {
    field: 'headerLine',
    about: 'Display text: a one-line summary',
    // It says nothing that an assistant may not count by itself.
    failing: { suites: 'redaction/withholding', test: 'differ from the buyer’s in what' },
  },
  {
    field: 'buyerZip',
    selected: ['entry-statements', 's.buyer_zip', 'text'],
  },
  {
    field: 'dealerCount',
    selected: ['entry-statements', 's.dealers_found', 'integer'],
  },
  {
    field: 'lowestWrittenDistanceMiles',
    about: 'Miles to the dealership of the lowest',
    selected: ['entry-statements', 'r.hero_distance_miles', 'double precision'],
  },
  {
    field: 'distanceMiles of a row',
    about: 'Miles to the dealership. Until',
    selected: ['result-statement', 'p.distance_miles', 'double precision'],
  },
  { field: 'distanceBand of a row', about: 'The distance band' },
  {
    field: 'question',
    about: 'Display text: the question in',
    selected: ['result-statement', 'q.text', 'text'],
  },
  {
    field: 'preview',
    about: 'Display text: how the draft begins',
    selected: ['result-statement', 'd.body', 'text'],
    also: {
      where: 'src/deal-sets/view/deal-set-result-view.ts',
      from: 'SEES_WORDS[principalType] && item.opening',
      to: 'item.opening',
    },
  },
];

const DECLARATIONS = WITHHELD.flatMap(({ field, about, also, failing }): Fault[] =>
  about === undefined
    ? []
    : [
        {
          plants: `the response declares ${field} as shown`,
          where: 'src/redaction/field.decorators.ts',
          from: 'declare(WITHHELD, description,',
          to: `declare(description.startsWith('${about}') ? SAME : WITHHELD, description,`,
          also: also ? [...WIDE_OPEN, also] : WIDE_OPEN,
          failing: failing ?? NONINTERFERENCE,
        },
      ],
);

const STATEMENTS = WITHHELD.flatMap(({ field, selected }): Fault[] =>
  selected
    ? [
        {
          plants: `an assistant’s statement selects ${field}`,
          where: `src/deal-sets/queries/${selected[0]}.ts`,
          from:
            selected[2] === 'text'
              ? `own('${selected[1]}')`
              : `own('${selected[1]}', '${selected[2]}')`,
          to: `'${selected[1]}'`,
          failing: {
            suites: 'redaction/withholding',
            test: 'differ from the buyer’s in what the contract withholds',
          },
        },
      ]
    : [],
);

const GRANTS = [
  'deal_set (car_trim)',
  'deal_set (car_exterior_color)',
  'deal_set (car_interior_color)',
  'deal_set (car_drivetrain)',
  'deal_set (car_powertrain)',
  'deal_set (buyer_zip)',
  'deal_set (radius_miles)',
  'deal_set (dealers_found)',
  'price_check (distance_miles)',
  'price_check (dealership_id)',
  'request_feed (hero_distance_miles)',
  'question (text)',
  'draft (body)',
  'dealership (name)',
].map((columns): Fault => {
  const [table, names] = columns.split(' ') as [string, string];
  return {
    plants: `an assistant’s role may read ${columns}`,
    where: 'database',
    to: `GRANT SELECT ${names} ON ${table} TO deal_sets_assistant`,
    failing: { suites: 'operations/reading-roles', test: 'exactly the columns it is granted' },
  };
});

export const WITHHELD_FAULTS: readonly Fault[] = [...DECLARATIONS, ...STATEMENTS, ...GRANTS];
