import { writeSync } from 'node:fs';

/** Node calls this hook for each ES module, on its own thread. */
export function load(url, context, nextLoad) {
  writeSync(1, `${JSON.stringify({ imported: url })}\n`);
  return nextLoad(url, context);
}
