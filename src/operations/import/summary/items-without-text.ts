import type { ClientBase } from 'pg';

/**
 * The open questions and drafts of a file that a buyer cannot read: the row is hidden, and the
 * writer has cleared no text for that time.
 */
export interface ItemsWithoutText {
  readonly questions: number;
  readonly drafts: number;
  /** The lines of the first of these drafts. A website can write its own drafts without a name. */
  readonly firstDraftLines: readonly number[];
}

const LISTED_LINES = 3;

/** Finds these items. It reads the merged rows, whose stored values decide whether a row is hidden. */
export async function findItemsWithoutText(client: ClientBase): Promise<ItemsWithoutText> {
  const questions = await linesOf(client, 'question', 'answered_at', 'text_while_hidden');
  const drafts = await linesOf(client, 'draft', 'resolved_at', 'body_while_hidden');
  return {
    questions: questions.length,
    drafts: drafts.length,
    firstDraftLines: drafts.slice(0, LISTED_LINES),
  };
}

async function linesOf(
  client: ClientBase,
  table: 'question' | 'draft',
  closedAt: string,
  textWhileHidden: string,
): Promise<readonly number[]> {
  const { rows } = await client.query<{ line: number }>(
    `SELECT s.line FROM staged_${table} s
     JOIN deal_sets.price_check p ON p.buyer_id = s.buyer_id AND p.id = s.price_check_id
     JOIN deal_sets.deal_set d ON d.buyer_id = p.buyer_id AND d.id = p.deal_set_id
     WHERE s.${closedAt} IS NULL AND s.${textWhileHidden} IS NULL AND NOT p.is_seen
       AND p.ended IS NULL AND p.archived_at IS NULL AND d.ended_at IS NULL
     ORDER BY s.line`,
  );
  return rows.map(({ line }) => line);
}
