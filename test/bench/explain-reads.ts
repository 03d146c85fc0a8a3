import { Client } from 'pg';
import { FEED_PROBE, readerStatements } from '../../src/deal-sets/queries/statements.js';
import type { PrincipalType } from '../../src/kernel/principal.js';
import { someBuyers, type BuyerGroup } from './world/bench-world.js';

const EVERYTHING = '1970-01-01T00:00:00Z';

/** The plans of every read, as PostgreSQL explains them when it has run them, pages warm. */
export async function explainReads(url: string, groups: readonly BuyerGroup[]): Promise<string> {
  const everyday = groups.find(({ name }) => name === 'everyday');
  const [buyer] = everyday ? someBuyers(everyday, 3).slice(1) : [];
  if (!buyer) throw new Error('the world has no buyers');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let text = '';
    // As the connections of the reading pools are set.
    await client.query('SET plan_cache_mode = force_generic_plan');
    const explain = async (name: string, statement: string, values: string[]): Promise<void> => {
      await client.query(`PREPARE read AS ${statement}`);
      let plan = '';
      // The third run: pages are in the cache.
      for (let run = 0; run < 3; run += 1) {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN (ANALYZE, BUFFERS) EXECUTE read (${values.map((value) => `'${value}'`).join(', ')})`,
        );
        plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      }
      await client.query('DEALLOCATE read');
      text += `-- ${name}\n${plan}\n\n`;
    };
    for (const viewer of ['session', 'assistant'] satisfies PrincipalType[]) {
      const { active, changedSince, replies, one } = readerStatements(viewer);
      await client.query(`SET ROLE deal_sets_${viewer === 'session' ? 'reader' : 'assistant'}`);
      await explain(active.name, active.text, [buyer.id]);
      await explain(changedSince.name, changedSince.text, [buyer.id, EVERYTHING]);
      await explain(one.name, one.text, [buyer.id, buyer.setIds[0] ?? '']);
      if (viewer === 'assistant')
        await explain(replies.name, replies.text, [
          ...[buyer.id, EVERYTHING, '9999-01-01T00:00:00Z'],
          ...['{deal_set}', `{${buyer.setIds[0] ?? ''}}`],
        ]);
    }
    await explain(FEED_PROBE.name, FEED_PROBE.text, [buyer.id]);
    return text;
  } finally {
    await client.end();
  }
}
