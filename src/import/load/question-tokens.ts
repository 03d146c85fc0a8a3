import type { ClientBase } from 'pg';
import type { Problems } from '../problems.js';

const REASON =
  'contains a name, telephone number or e-mail address of a dealership of the request; assistants read it';

/**
 * Notes the tokens of questions that are new or differ from what is stored. Those that stay as they are do
 * not count: a dealership that was renamed since changes nothing. To be called before questions are written.
 */
export async function collectQuestionTokens(client: ClientBase): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE staged_question_token ON COMMIT DROP AS
     SELECT s.line, s.buyer_id, s.price_check_id, t.key, t.token
     FROM staged_question s
     CROSS JOIN LATERAL (VALUES ('category', s.category), ('promptId', s.prompt_id),
       ('answerMode', s.answer_mode)) AS t (key, token)
     WHERE char_length(t.token) >= 10 AND NOT EXISTS (
       SELECT FROM question q WHERE q.buyer_id = s.buyer_id AND q.id = s.id
         AND (q.price_check_id, q.prompt_id, q.category, q.answer_mode)
           IS NOT DISTINCT FROM (s.price_check_id, s.prompt_id, s.category, s.answer_mode))`,
  );
}

/**
 * Compares these tokens with the dealerships that their requests have by now, as the trigger on `question`
 * does, which cannot name a line of the file.
 */
export async function checkQuestionTokens(client: ClientBase, problems: Problems): Promise<void> {
  const { rows } = await client.query<{ line: number; key: string; total: string }>(
    `WITH given AS MATERIALIZED (
       SELECT t.line, t.key, t.token, p.buyer_id, p.request_id
       FROM staged_question_token t
       JOIN price_check p ON p.buyer_id = t.buyer_id AND p.id = t.price_check_id
     ), listed AS (
       SELECT array_agg(buyer_id) AS buyer_ids, array_agg(request_id) AS request_ids,
         array_agg(token) AS tokens
       FROM given
     )
     SELECT g.line, g.key, count(*) OVER () AS total FROM listed l
     CROSS JOIN LATERAL tokens_naming_dealerships(l.buyer_ids, l.request_ids, l.tokens) n
     JOIN given g ON g.buyer_id = n.buyer_id AND g.request_id = n.request_id AND g.token = n.token
     WHERE l.tokens IS NOT NULL
     ORDER BY g.line, g.key LIMIT 20`,
  );
  for (const { line, key } of rows) {
    problems.add({ line, key: `question.${key}`, reason: REASON });
  }
  problems.addUnlisted(Number(rows[0]?.total ?? 0) - rows.length);
  problems.throwIfAny();
}
