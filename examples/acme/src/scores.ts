import { customField } from '@deal-sets/service';

/** A custom field of a row: Acme's rating of the price. Assistants do not receive it. */
export const acmeScore = customField({
  type: 'count',
  description: 'How Acme rates the price, 0 to 100.',
  async load({ ids, query }) {
    const rows = await query<{ id: string; score: number }>(
      'SELECT price_check_id AS id, score FROM acme_score WHERE price_check_id = ANY($1)',
      [ids],
    );
    return new Map(rows.map(({ id, score }) => [id, score]));
  },
});
