import { writeSync } from 'node:fs';

/** Node's hook that is called for each ES module, on a thread of its own. */
export function load(url, context, nextLoad) {
  writeSync(1, `${JSON.stringify({ imported: url })}\n`);
  return nextLoad(url, context);
}
