import type { Principal } from '../kernel/principal.js';
import type { FieldPath } from '../redaction/field.js';
import type { Replacement } from '../redaction/redaction-rules.js';

/** Returns the text to send in place of a display text. */
export type ReplaceText = (value: string, principal: Principal) => string;

/** Returns the texts to send in place of a list of display texts. */
export type ReplaceTexts = (value: readonly string[], principal: Principal) => readonly string[];

/**
 * The functions by which a rule replaces display texts and custom fields, by class and name.
 *
 * Guarantees: a function receives the value after redaction, for REST, MCP and `DealSetsApi` alike.
 * It is never called for null or for a field that is left out.
 * Must never: depend on anything but its arguments; block.
 * When it fails: a function that throws, or returns anything but a value of the field's type, makes
 * the response 500 `internal`.
 */
export interface Replacements {
  readonly 'DealSetEntry.chosenLabels'?: ReplaceTexts;
  readonly 'DealSetEntry.href'?: ReplaceText;
  readonly 'DealSetResult.headerLine'?: ReplaceText;
  readonly 'DraftItem.label'?: ReplaceText;
  readonly 'DraftItem.preview'?: ReplaceText;
  readonly 'Hero.label'?: ReplaceText;
  readonly 'QuestionItem.heading'?: ReplaceText;
  readonly 'QuestionItem.label'?: ReplaceText;
  readonly 'QuestionItem.question'?: ReplaceText;
  readonly 'Row.label'?: ReplaceText;
  readonly 'Row.statusLabel'?: ReplaceText;
  readonly 'SingleEntry.dealerLabel'?: ReplaceText;
  /**
   * A custom field, such as `Row.acmeScore`. The function's parameter declares the type of the
   * value.
   */
  readonly [customField: FieldPath]: Replacement | undefined;
}

/**
 * The display texts. Only their wording may change (contract, section 9). Every other field is a
 * fact, which a rule can hide but not replace, because several fields show the same fact.
 */
export const DISPLAY_TEXT_FIELDS: readonly string[] = [
  'DealSetEntry.chosenLabels',
  'DealSetEntry.href',
  'DealSetResult.headerLine',
  'DraftItem.label',
  'DraftItem.preview',
  'Hero.label',
  'QuestionItem.heading',
  'QuestionItem.label',
  'QuestionItem.question',
  'Row.label',
  'Row.statusLabel',
  'SingleEntry.dealerLabel',
] satisfies readonly (keyof Replacements)[];
