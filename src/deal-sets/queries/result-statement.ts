import type { Statement } from '../../database/cancellable-reader.js';
import type { PrincipalType } from '../../kernel/principal.js';
import { outerNames, jsonObject, selectList, type FactCatalogue } from './fact-columns.js';
import {
  DEAL_SET_FACTS,
  DRAFT_FACTS,
  PRICE_CHECK_FACTS,
  QUESTION_FACTS,
  type ResultRow,
} from './result-facts.js';

/**
 * Selects a deal set with its price checks and their open items. There is one row for the deal set
 * itself, one for each price check, and one for each open item, oldest items first. The row of the
 * deal set is missing when the buyer has no deal set of this id.
 *
 * Items count as open only on price checks that have neither ended nor been archived, and only
 * while the deal set has not ended.
 *
 * Parameters: $1 buyer, $2 deal set.
 */
export function resultStatement(type: PrincipalType): Statement<ResultRow> {
  const noMember = Object.keys(PRICE_CHECK_FACTS)
    .map(() => 'NULL')
    .join(', ');
  const openItem = (kind: 'question' | 'draft', facts: FactCatalogue, isOpen: string, at: string) =>
    `SELECT '${kind}', ${jsonObject(facts, type)}, ${noMember}, i.${at}, i.id
  FROM deal_sets.deal_set s
  JOIN deal_sets.${kind} i ON i.buyer_id = $1 AND i.request_id = $2 AND ${isOpen}
  JOIN deal_sets.price_check p ON p.buyer_id = $1 AND p.id = i.price_check_id AND p.deal_set_id = $2
    AND p.ended IS NULL AND p.archived_at IS NULL
  WHERE s.buyer_id = $1 AND s.id = $2 AND s.ended_at IS NULL`;
  return {
    name: `${type}_deal_set`,
    text: `SELECT "rowKind", facts, ${outerNames('result', PRICE_CHECK_FACTS)}
FROM (
  SELECT 'price_check' AS "rowKind", NULL::json AS facts,
  ${selectList(PRICE_CHECK_FACTS, type)},
  NULL::timestamptz AS at, NULL::uuid AS item_id
  FROM deal_sets.price_check p WHERE p.buyer_id = $1 AND p.request_id = $2 AND p.deal_set_id = $2
  UNION ALL
  SELECT 'deal_set', ${jsonObject(DEAL_SET_FACTS, type)}, ${noMember}, NULL, NULL
  FROM deal_sets.deal_set s WHERE s.buyer_id = $1 AND s.id = $2
  UNION ALL
  ${openItem('question', QUESTION_FACTS, 'i.answered_at IS NULL', 'asked_at')}
  UNION ALL
  ${openItem('draft', DRAFT_FACTS, 'i.resolved_at IS NULL', 'created_at')}
) result
ORDER BY at, "rowKind", item_id`,
  };
}
