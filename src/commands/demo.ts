import type { Command } from 'commander';
import { DevelopmentIssuer } from '../auth/development-issuer.js';
import { deriveSettings } from '../config/derive-settings.js';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { mcpAudiences } from '../config/mcp-address.js';
import type { Settings } from '../config/settings.js';
import { demoGuide, demoTokens } from '../demo/demo-guide.js';
import { openDemo } from './open-demo.js';
import { CommandError } from './command-error.js';
import { printNote, printResult } from './console.js';

/** Loads the demo world, serves it, and prints how to look at it. */
async function demo(): Promise<void> {
  const settings = loadSettings(readEnvironment());
  if (settings.isProduction || settings.issuer) {
    throw new CommandError(
      'The demo signs its own tokens: unset NODE_ENV=production and AUTH_ISSUER, AUTH_AUDIENCE, AUTH_JWKS_URL.',
    );
  }
  const world = await openDemo(settings);
  if (world.isShared) {
    printNote(
      'This demo shares the database of another process of this folder, and loses it when that process stops.',
    );
  }
  try {
    // The guide should stay in sight: only what goes wrong is logged.
    const quiet = deriveSettings(world.settings, { logLevel: 'warn' });
    // Loaded here, as in `serve`: the other commands start without the framework.
    const { startService } = await import('../start-service.js');
    const service = await startService({ settings: quiet, afterStop: () => world.close() });
    printResult(
      demoGuide({
        // A browser and curl know this machine by that name, whichever address is listened on.
        url: service.url.replace(
          /\/\/(127\.0\.0\.1|\[::1\]|0\.0\.0\.0|\[::\])(?=[:/]|$)/,
          '//localhost',
        ),
        cookie: `${settings.sessionCookie}=${world.cookieValue}`,
        tokens: await demoTokens((token) => issuer(settings).issueToken(token)),
      }),
    );
  } catch (error) {
    await world.close();
    throw error;
  }
}

function issuer(settings: Settings): DevelopmentIssuer {
  return DevelopmentIssuer.open(undefined, mcpAudiences(settings));
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('load a small demo world, serve it, and print curl lines to look at it')
    .addHelpText('after', '\nExamples:\n  deal-sets demo\n  PORT=8080 deal-sets demo')
    .action(demo);
}
