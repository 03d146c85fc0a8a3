import { failureText } from 'deal-sets/demo';
import { DemoRefused } from './demo-settings.js';
import { startDemo } from './start-demo.js';

try {
  const { publicUrl, world } = await startDemo(process.env);
  if (world.isShared) {
    process.stderr.write(
      'This demo shares the database of another process of this folder, and loses it when that process stops.\n',
    );
  }
  process.stdout.write(
    `The demo is running at ${publicUrl}/. Ctrl+C stops it; its data stays in .data/.\n`,
  );
} catch (error) {
  const text = error instanceof DemoRefused ? error.message : failureText(error);
  if (text !== undefined) process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
