import type { ByPrincipalType } from '../../kernel/principal.js';

/** What each type of principal may know of a buyer's requests. A further type has to be decided here. */

/** A dealership's name, once the buyer unlocked or chose it. */
export const SEES_NAMES: ByPrincipalType<boolean> = { session: true, assistant: false };

/** The words of questions and drafts. */
export const SEES_WORDS: ByPrincipalType<boolean> = { session: true, assistant: false };

/** Columns that are withheld: the type's database role may select them. */
export const READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: false };
