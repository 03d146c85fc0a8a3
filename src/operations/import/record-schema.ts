import { Ajv, type ErrorObject } from 'ajv';
import { parseIsoTime } from '../../kernel/iso-time.js';
import { UUID_PATTERN } from '../../kernel/uuid.js';
import { printable, type Problem } from './problems.js';
import { ALL_KINDS, ALL_RULES, type FileKind } from './records.js';
import { objectSchema, required, type Rule } from './rules.js';

/** A broken rule; `key` is the path within the record, such as `price.otdCents`. */
export type BrokenRule = Required<Pick<Problem, 'key' | 'reason'>>;

/** The JSON Schema of a line of an import file, with the custom keyword `reason`. */
const LINE = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A line of an import file of Deal Sets',
  oneOf: ALL_KINDS.map((kind) => ({ $ref: `#/definitions/${kind}` })),
  definitions: Object.fromEntries(
    ALL_KINDS.map((kind) => {
      const record: Rule<string> = { schema: { const: kind } };
      return [kind, objectSchema({ record: required(record), ...ALL_RULES[kind] })];
    }),
  ),
};

/**
 * Returns the JSON Schema (draft 7) of a line as text. `iso-time` is the format of times: ISO 8601
 * with a zone.
 */
export function lineSchemaText(): string {
  // Validators in strict mode reject a keyword that they do not know.
  const withoutReasons = (key: string, value: unknown): unknown =>
    key === 'reason' && typeof value === 'string' ? undefined : value;
  return JSON.stringify(LINE, withoutReasons, 2);
}

const ajv = new Ajv({ allErrors: true, verbose: true, ownProperties: true, strictTypes: false });
ajv.addVocabulary(['reason']);
ajv.addFormat('uuid', UUID_PATTERN);
ajv.addFormat('iso-time', (text: string) => parseIsoTime(text) !== null);
ajv.addSchema(LINE, 'line');

/** Checks a record by the rules of its kind, and returns the first broken rule of each key. */
export function checkRecord(kind: FileKind, record: object): readonly BrokenRule[] {
  if (ajv.validate(`line#/definitions/${kind}`, record)) return [];
  // Reversed, because the map keeps the last entry of a key, but the first one must be reported.
  const broken = (ajv.errors ?? []).map(brokenRule).reverse();
  return [...new Map(broken.map((rule) => [rule.key, rule])).values()].reverse();
}

function brokenRule({ keyword, instancePath, params, parentSchema }: ErrorObject): BrokenRule {
  const path = instancePath.split('/').slice(1);
  const { additionalProperty = '', missingProperty = '' } = params as Record<string, string>;
  if (keyword === 'additionalProperties') {
    const name = printable(additionalProperty);
    // Quotes show a blank or a dot in the name.
    const key = [...path, /^\w+$/.test(name) ? name : JSON.stringify(name)].join('.');
    return { key, reason: 'is not a key of this record' };
  }
  if (keyword === 'required') {
    return { key: [...path, missingProperty].join('.'), reason: 'is missing' };
  }
  const { reason } = parentSchema as { readonly reason: string };
  // An item of a list is reported under the list's key.
  return { key: path.filter((name) => !/^\d+$/.test(name)).join('.'), reason };
}
