import type { Command } from 'commander';
import type { Settings } from '../config/settings.js';
import { AssistantGrant } from '../database/entities.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { SettingsRollout } from '../rollout/rollout.js';
import { clientId, printResult, uuid } from './command-line.js';
import { withRepositories } from './with-client.js';

interface ExplainOptions {
  readonly buyer: string;
  readonly client: string;
}

/** Why a call would be refused, in the order in which the service checks; undefined: it is admitted. */
function refusalOf(
  flag: string,
  grant: AssistantGrant | null,
  settings: Settings,
): string | undefined {
  if (!grant) return '401 unauthenticated: the buyer never approved this assistant';
  if (grant.revokedAt) return '401 unauthenticated: the grant was revoked';
  const { buyerId, clientId, isHosted } = grant;
  const scopes = new Set(grant.scopes);
  // The settings do not look at the last one.
  const principal = { buyerId, clientId, scopes, isHosted, seesChanges: false };
  if (!new SettingsRollout(settings).isOn(flag, { type: 'assistant', ...principal })) {
    return `404 not_found: ROLLOUT_${flag.toUpperCase()} is off for this buyer`;
  }
  if (scopes.has(READ_SCOPE)) return undefined;
  return `403 insufficient_scope: the grant does not hold ${READ_SCOPE}`;
}

async function explain({ buyer, client }: ExplainOptions): Promise<void> {
  await withRepositories(async (dataSource, settings) => {
    // The live grant, else the one that was revoked last.
    const grant = await dataSource.getRepository(AssistantGrant).findOne({
      where: { buyerId: buyer, clientId: client },
      order: { revokedAt: { direction: 'DESC', nulls: 'FIRST' } },
    });
    for (const flag of ['list', 'get', ...(settings.hasMcp ? ['mcp'] : [])]) {
      const refusal = refusalOf(flag, grant, settings);
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
