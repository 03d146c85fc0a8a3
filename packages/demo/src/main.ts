import { EmbeddedPostgresError } from '@deal-sets/embedded-postgres';
import { failureText } from '@deal-sets/service/operations';
import { DemoStartError } from './demo-settings.js';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  say('Starting the demo…');
  // The import takes a second, so it comes after the first line of output.
  const { startDemo } = await import('./start-demo.js');
  if (process.env['DATABASE_URL']?.trim()) {
    say('The demo always uses its own database in .data/; it does not read DATABASE_URL.');
  }
  const { publicUrl, databaseUrl, isShared } = await startDemo(process.env, { onStep: say });
  if (isShared) {
    say(
      'This demo shares the database of another process in this folder and loses it when that process stops.',
    );
  }
  process.stdout.write(`
The demo is running. Ctrl+C stops it; its data stays in .data/.

  Open in a browser      ${publicUrl}/
  Commands for curl      ${publicUrl}/curl
  Connect an assistant   ${publicUrl}/mcp (a browser opens for your approval)
  Approved assistants    ${publicUrl}/approvals
  For other commands     export DATABASE_URL=${databaseUrl}
`);
} catch (error) {
  const isKnown = error instanceof DemoStartError || error instanceof EmbeddedPostgresError;
  // The demo has no other database than the embedded one.
  const text = isKnown ? error.message.replace(', or set DATABASE_URL.', '.') : failureText(error);
  say(text);
  process.exitCode = 1;
}
