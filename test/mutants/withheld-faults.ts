import { readFileSync } from 'node:fs';
import { DealSetResponse, ListResponse } from '../../src/deal-sets/dto/responses.js';
import { ENTRY_FACTS } from '../../src/deal-sets/queries/entry-facts.js';
import { isColumn, type FactCatalogue } from '../../src/deal-sets/queries/fact-columns.js';
import {
  DEAL_SET_FACTS,
  DRAFT_FACTS,
  PRICE_CHECK_FACTS,
  QUESTION_FACTS,
} from '../../src/deal-sets/queries/result-facts.js';
import { fieldsOf, reachableDtos, WITHHELD } from '../../src/redaction/field.js';
import { plant, type Fault } from './fault.js';

// One fault for each protection of each withheld value. They follow from the declarations of the
// fields, of the facts and of the grants.

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
    .sql('GRANT SELECT ON ALL TABLES IN SCHEMA deal_sets TO deal_sets_assistant');

/** The names of what is declared, by a text of the declaration; several can have the same text. */
type NamesByText = Map<string, Set<string>>;

function addName(names: NamesByText, text: string, name: string): void {
  names.set(text, (names.get(text) ?? new Set()).add(name));
}

/** The fields that are withheld from assistants, by their description. */
function withheldFields(): NamesByText {
  const names: NamesByText = new Map();
  for (const dto of reachableDtos([DealSetResponse, ListResponse])) {
    for (const [name, { visibility, description }] of Object.entries(fieldsOf(dto))) {
      if (visibility === WITHHELD) addName(names, description, `${dto.name}.${name}`);
    }
  }
  return names;
}

const DECLARATIONS = Array.from(withheldFields(), ([description, names]): Fault => {
  const fields = [...names].join(' and ');
  // The header line contains nothing that an assistant cannot count itself.
  const [suites, test] = names.has('DealSetResult.headerLine') ? WITHHOLDING : NONINTERFERENCE;
  return withoutLowerProtections(`the response declares ${fields} as shown`)
    .in(
      'src/redaction/field.decorators.ts',
      'declare(WITHHELD, description,',
      `declare(description === ${JSON.stringify(description)} ? SHOWN_TO_ALL : WITHHELD, description,`,
    )
    .fails(suites, test);
});

/** Adds the facts whose SQL for an assistant is another one, by their SQL for the session. */
function addWithheldFacts(names: NamesByText, facts: FactCatalogue, path = ''): NamesByText {
  for (const [name, fact] of Object.entries(facts)) {
    if (!isColumn(fact)) addWithheldFacts(names, fact, `${path}${name}.`);
    else if (fact.assistantSql !== fact.sql) addName(names, fact.sql, path + name);
  }
  return names;
}

const withheldFacts: NamesByText = new Map();
addWithheldFacts(withheldFacts, DEAL_SET_FACTS, 'dealSet.');
addWithheldFacts(withheldFacts, PRICE_CHECK_FACTS, 'priceCheck.');
addWithheldFacts(withheldFacts, QUESTION_FACTS, 'question.');
addWithheldFacts(withheldFacts, DRAFT_FACTS, 'draft.');
addWithheldFacts(withheldFacts, ENTRY_FACTS, 'entry.');

const STATEMENTS = Array.from(withheldFacts, ([sql, names]): Fault =>
  plant(`an assistant’s statements select ${[...names].join(' and ')}`)
    .in(
      'src/deal-sets/queries/fact-columns.ts',
      'return { sql, assistantSql };',
      `return { sql, assistantSql: sql === ${JSON.stringify(sql)} ? sql : assistantSql };`,
    )
    .fails(...WITHHOLDING),
);

/** What `sql/roles.sql` grants to the role of the session alone: columns and their table. */
const GRANTED_TO_SESSION = Array.from(
  readFileSync('sql/roles.sql', 'utf8').matchAll(
    /^GRANT SELECT \(([^)]*)\)\s+ON deal_sets\.(\w+) TO deal_sets_reader;/gm,
  ),
  ([, columns = '', table = '']) => ({ table, columns: columns.trim() }),
);

const GRANTS = GRANTED_TO_SESSION.map(({ table, columns }): Fault =>
  plant(`an assistant’s role may read ${table} (${columns})`)
    .sql(`GRANT SELECT (${columns}) ON deal_sets.${table} TO deal_sets_assistant`)
    .fails('operations/reading-roles', 'exactly the columns it is granted'),
);

export const WITHHELD_FAULTS: readonly Fault[] = [...DECLARATIONS, ...STATEMENTS, ...GRANTS];
