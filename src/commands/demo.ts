import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { Client } from 'pg';
import { DevelopmentIssuer } from '../auth/access-token/development-issuer.js';
import { deriveSettings } from '../config/derive-settings.js';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { mcpAudiences } from '../config/mcp-address.js';
import type { Settings } from '../config/settings.js';
import { demoGuide, type DemoGuide } from '../demo/demo-guide.js';
import { DEMO_BUYER_ID, DEMO_CLIENTS, OTHER_SCOPE } from '../demo/demo-people.js';
import { demoWorld } from '../demo/demo-world.js';
import { importFile } from '../import/import-file.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { startService } from '../start-service.js';
import { assertPortFree } from './assert-port-free.js';
import { CommandError } from './command-error.js';
import { openMigratedDatabase } from './open-database.js';
import { printNote, printResult } from './console.js';

const DAY_SECONDS = 86_400;
const SINCE_HOURS = 5;
const HOUR_MS = 3_600_000;

/** Loads the demo world, serves it, and prints how to look at it. */
async function demo(): Promise<void> {
  const settings = loadSettings(readEnvironment());
  if (settings.isProduction || settings.issuer) {
    throw new CommandError(
      'The demo signs its own tokens: unset NODE_ENV=production and AUTH_ISSUER, AUTH_AUDIENCE, AUTH_JWKS_URL.',
    );
  }
  await assertPortFree(settings.host, settings.port);
  const database = await openMigratedDatabase(settings);
  if (database.isShared) {
    printNote(
      'This demo shares the database of another process of this folder, and loses it when that process stops.',
    );
  }
  try {
    const cookieValue = randomBytes(32).toString('base64url');
    await loadDemoWorld(database.url, cookieValue);
    // The guide should stay in sight: only what goes wrong is logged.
    const quiet = deriveSettings(database.settings, { logLevel: 'warn' });
    const service = await startService(quiet, undefined, { afterStop: () => database.close() });
    printResult(
      demoGuide({
        // A browser and curl know this machine by that name, whichever address is listened on.
        url: service.url.replace(
          /\/\/(127\.0\.0\.1|\[::1\]|0\.0\.0\.0|\[::\])(?=[:/]|$)/,
          '//localhost',
        ),
        cookie: `${settings.sessionCookie}=${cookieValue}`,
        tokens: await demoTokens(settings),
        since: new Date(Date.now() - SINCE_HOURS * HOUR_MS).toISOString(),
      }),
    );
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function loadDemoWorld(databaseUrl: string, cookieValue: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const records = demoWorld(Date.now(), cookieValue);
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await importFile(client, inOnePiece(text), { isBackfill: true });
    // Each start adds a session; those of earlier days are over.
    await client.query(
      'DELETE FROM buyer_session WHERE buyer_id = $1 AND expires_at < clock_timestamp()',
      [DEMO_BUYER_ID],
    );
  } finally {
    await client.end();
  }
}

async function* inOnePiece(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}

async function demoTokens(settings: Settings): Promise<DemoGuide['tokens']> {
  const issuer = DevelopmentIssuer.open(undefined, mcpAudiences(settings));
  const token = (clientId: string, scope = READ_SCOPE): Promise<string> =>
    issuer.issueToken({ buyerId: DEMO_BUYER_ID, clientId, scope, ttlSeconds: DAY_SECONDS });
  const [approved, hosted, revoked, withoutScope] = await Promise.all([
    token(DEMO_CLIENTS.approved),
    token(DEMO_CLIENTS.hosted),
    token(DEMO_CLIENTS.revoked),
    token(DEMO_CLIENTS.withoutScope, OTHER_SCOPE),
  ]);
  return { approved, hosted, revoked, withoutScope };
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('load a small demo world, serve it, and print curl lines to look at it')
    .addHelpText('after', '\nExamples:\n  deal-sets demo\n  PORT=8080 deal-sets demo')
    .action(demo);
}
