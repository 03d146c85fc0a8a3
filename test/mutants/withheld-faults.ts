import type { Where } from '../setup/planted-fault.js';
import { plant, type Fault } from './fault.js';

/**
 * Compares two databases that differ only in withheld values; an assistant must get the same bytes
 * from both.
 */
export const NONINTERFERENCE = ['redaction/noninterference', 'byte for byte'] as const;
const WITHHOLDING = ['redaction/withholding', 'differ from the buyer’s in what'] as const;

/**
 * A fault with the two lower protections removed: an assistant's statements select withheld
 * columns, and its role may read them. The names of dealerships stay withheld, because labels and
 * headings, which are shown, would contain them: only these two protections withhold a name.
 */
export const withoutLowerProtections = (plants: string): ReturnType<typeof plant> =>
  plant(plants)
    .in(
      'src/deal-sets/domain/disclosure.ts',
      'READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: false',
      'READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: true',
    )
    .in(
      'src/deal-sets/queries/fact-columns.ts',
      'READS_WITHHELD[principalType] ? sql : assistantSql',
      `principalType === 'assistant' && sql.includes('d.name') ? assistantSql : sql`,
    )
    .sql(
      `GRANT SELECT ON ALL TABLES IN SCHEMA deal_sets TO deal_sets_assistant;
      GRANT EXECUTE ON FUNCTION deal_sets.dealership_name_keys(uuid) TO deal_sets_assistant`,
    );

/**
 * Fields withheld from an assistant, each with the beginning of its description that no other field
 * shares.
 */
const DESCRIBED = {
  'car.trim': 'Trim of the configuration that the buyer asked for',
  'car.exteriorColor': 'Exterior color of the configuration that the buyer asked for',
  'car.interiorColor': 'Interior color of the configuration that the buyer asked for',
  'car.drivetrain': 'Drivetrain of the configuration that the buyer asked for',
  'car.powertrain': 'Powertrain of the configuration that the buyer asked for',
  'search.buyerZip': 'The buyer’s search ZIP code',
  'search.radiusMiles': 'The search radius',
  'counts.total': 'How many dealerships the search found',
  headerLine: 'Display text: a one-line summary',
  lowestWrittenDistanceMiles: 'Miles to the dealership of the lowest',
  'distanceMiles of a row': 'Miles to the dealership. Until',
  'distanceBand of a row': 'The distance band',
  question: 'Display text: the question in',
  preview: 'Display text: the beginning of the draft',
};

const DECLARATIONS = Object.entries(DESCRIBED).map(([field, about]): Fault => {
  // The header line contains nothing that an assistant cannot count itself.
  const [suites, test] = field === 'headerLine' ? WITHHOLDING : NONINTERFERENCE;
  return withoutLowerProtections(`the response declares ${field} as shown`)
    .in(
      'src/redaction/field.decorators.ts',
      'declare(WITHHELD, description,',
      `declare(description.startsWith('${about}') ? SHOWN_TO_ALL : WITHHELD, description,`,
    )
    .fails(suites, test);
});

/** The facts that the statements select only for the session. */
const SELECTED: Readonly<Record<Where & `src/${string}`, readonly string[]>> = {
  'src/deal-sets/queries/result-facts.ts': [
    `sessionOnly(column('s.car_trim'), 'text')`,
    `sessionOnly(column('s.car_exterior_color'), 'text')`,
    `sessionOnly(column('s.car_interior_color'), 'text')`,
    `sessionOnly(column('s.car_drivetrain'), 'text')`,
    `sessionOnly(column('s.car_powertrain'), 'text')`,
    `sessionOnly(column('s.buyer_zip'), 'text')`,
    `sessionOnly(column('s.radius_miles'), 'double precision')`,
    `sessionOnly(column('s.dealers_found'), 'integer')`,
    `sessionOnly(column('p.distance_miles'), 'double precision')`,
    `sessionOnly(column('i.text'), 'text')`,
    `sessionOnly(column(OPENING), 'text')`,
  ],
  'src/deal-sets/queries/entry-facts.ts': [
    `sessionOnly(
    column('r.lowest_written_distance_miles'),
    'double precision',
  )`,
    `sessionOnly(column(CHOSEN_NAMES), 'json')`,
    `sessionOnly(column(DEALERSHIP_NAME), 'text')`,
  ],
};

const STATEMENTS = Object.entries(SELECTED).flatMap(([file, declarations]) =>
  declarations.map((declaration): Fault => {
    const [, fact = '', name = ''] =
      /sessionOnly\(\s*(column.*?\(([^()]+)\)),\s*'[a-z ]+',?\s*\)$/s.exec(declaration) ?? [];
    return plant(`an assistant’s statement selects ${name} in ${file.split('/').at(-1)}`)
      .in(file as Where, declaration, fact)
      .fails(...WITHHOLDING);
  }),
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
  'request_feed (lowest_written_distance_miles)',
  'question (text)',
  'draft (body)',
  'dealership (name)',
].map((columns): Fault => {
  const [table, names] = columns.split(' ') as [string, string];
  return plant(`an assistant’s role may read ${columns}`)
    .sql(`GRANT SELECT ${names} ON deal_sets.${table} TO deal_sets_assistant`)
    .fails('operations/reading-roles', 'exactly the columns it is granted');
});

/** The one fact whose SQL for an assistant is another expression instead of null. */
const TRIM = plant('an assistant’s list selects the trim that the buyer asked for')
  .in(
    'src/deal-sets/queries/entry-facts.ts',
    `('coalesce(r.listed_trim, s.car_trim)', 'r.listed_trim')`,
    `('coalesce(r.listed_trim, s.car_trim)')`,
  )
  .fails(...WITHHOLDING);

export const WITHHELD_FAULTS: readonly Fault[] = [...DECLARATIONS, ...STATEMENTS, TRIM, ...GRANTS];
