import type { Command } from 'commander';
import type { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { READ_SCOPE, type AssistantPrincipal } from '../kernel/principal.js';
import { SettingsRollout } from '../rollout/rollout.js';
import { clientId, printResult, uuid } from './command-line.js';
import { withRepositories } from './with-client.js';

interface ExplainOptions {
  readonly buyer: string;
  readonly client: string;
}

/** What is known of an assistant's approval; null: there is none, nor a revoked one. */
interface GrantState {
  readonly scopes: readonly string[];
  readonly isHosted: boolean;
  readonly changesGranted: boolean;
  readonly isRevoked: boolean;
}

/** The live grant, else the one that was revoked last. */
async function findGrant(
  dataSource: DataSource,
  { buyer, client }: ExplainOptions,
): Promise<GrantState | null> {
  const rows = await dataSource.query<readonly GrantState[]>(
    `SELECT g.scopes, g.is_hosted AS "isHosted", b.changes_granted AS "changesGranted",
            g.revoked_at IS NOT NULL AS "isRevoked"
     FROM assistant_grant g JOIN buyer b ON b.id = g.buyer_id
     WHERE g.buyer_id = $1 AND g.client_id = $2
     ORDER BY g.revoked_at DESC NULLS FIRST LIMIT 1`,
    [buyer, client],
  );
  return rows[0] ?? null;
}

/** Why a call would be refused, in the order in which the service checks; undefined: it is admitted. */
function refusalOf(
  flag: string,
  grant: GrantState | null,
  { buyer, client }: ExplainOptions,
  settings: Settings,
): string | undefined {
  if (!grant) return '401 unauthenticated: the buyer never approved this assistant';
  if (grant.isRevoked) return '401 unauthenticated: the grant was revoked';
  const principal: AssistantPrincipal = {
    type: 'assistant',
    buyerId: buyer,
    clientId: client,
    scopes: new Set(grant.scopes),
    isHosted: grant.isHosted,
    seesChanges: grant.changesGranted,
  };
  if (!new SettingsRollout(settings).isOn(flag, principal)) {
    return `404 not_found: ROLLOUT_${flag.toUpperCase()} is off for this buyer`;
  }
  if (principal.scopes.has(READ_SCOPE)) return undefined;
  return `403 insufficient_scope: the grant does not hold ${READ_SCOPE}`;
}

async function explain(options: ExplainOptions): Promise<void> {
  await withRepositories(async (dataSource, settings) => {
    const grant = await findGrant(dataSource, options);
    for (const flag of ['list', 'get', ...(settings.hasMcp ? ['mcp'] : [])]) {
      const refusal = refusalOf(flag, grant, options, settings);
      printResult(`call ${flag}: ${refusal ?? 'admitted, with a good token'}`);
    }
  });
}

export function addExplainCommand(program: Command): void {
  program
    .command('explain')
    .description('print whether a call of an assistant would be refused now, and why')
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .requiredOption('--client <id>', 'the assistant', clientId)
    .addHelpText(
      'after',
      '\nIt reads the settings and the grants of the shipped parts, not the parts of a team.\n' +
        '\nExample:\n  deal-sets explain --buyer 00000000-0000-4000-8000-000000000001 --client assistant-1',
    )
    .action(explain);
}
