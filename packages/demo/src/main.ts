import { demoGuide, failureText } from 'deal-sets/demo';
import { DemoRefused } from './demo-settings.js';
import { startDemo } from './start-demo.js';

const isCurl = process.argv.slice(2).includes('--curl');
try {
  const demo = await startDemo(process.env);
  const { publicUrl, world } = demo;
  if (world.isShared) {
    process.stderr.write(
      'This demo shares the database of another process of this folder, and loses it when that process stops.\n',
    );
  }
  process.stdout.write(`
The demo is running. Ctrl+C stops it; its data stays in .data/.

  Open in a browser      ${publicUrl}/
  Connect an assistant   ${publicUrl}/mcp (a browser opens for your approval)
  Approved assistants    ${publicUrl}/approvals
`);
  if (isCurl) {
    const cookie = `${world.settings.sessionCookie}=${world.cookieValue}`;
    process.stdout.write(demoGuide({ url: publicUrl, cookie, tokens: await demo.tokens() }));
  } else {
    process.stdout.write(`  Lines for curl         npm run demo -- --curl\n`);
  }
} catch (error) {
  const text = error instanceof DemoRefused ? error.message : failureText(error);
  if (text !== undefined) process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
