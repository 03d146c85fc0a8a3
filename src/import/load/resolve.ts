import type { ClientBase } from 'pg';
import { RECORD_KINDS, type RecordKind } from '../records/record-kinds.js';
import { STAGED_TABLES } from './staged-tables.js';

/** The kinds that hang on a price check. */
export const THREAD_KINDS = ['question', 'draft', 'reply'] as const satisfies readonly RecordKind[];

/** Gives questions, drafts and replies the buyer of their price check, in the file or stored. */
export async function resolveBuyers(client: ClientBase): Promise<void> {
  for (const kind of THREAD_KINDS) {
    const { staging } = STAGED_TABLES[kind];
    await client.query(
      `UPDATE ${staging} s SET buyer_id = p.buyer_id
       FROM (
         SELECT id, buyer_id FROM price_check WHERE id IN (SELECT price_check_id FROM ${staging})
         UNION SELECT id, buyer_id FROM staged_price_check
       ) p WHERE p.id = s.price_check_id`,
    );
  }
}

/** Of several records with one id the last of the file counts. */
export async function keepLastOfEachId(client: ClientBase): Promise<void> {
  for (const kind of RECORD_KINDS) {
    const { staging } = STAGED_TABLES[kind];
    await client.query(
      `DELETE FROM ${staging} s USING (
         SELECT id, max(line) AS line FROM ${staging} GROUP BY id HAVING count(*) > 1
       ) kept WHERE kept.id = s.id AND s.line < kept.line`,
    );
  }
}
