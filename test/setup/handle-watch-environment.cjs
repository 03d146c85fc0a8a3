const { TestEnvironment } = require('jest-environment-node');
const { setTimeout: sleep } = require('node:timers/promises');

/**
 * The kinds of resources that keep a process alive and belong to a test. Jest's own pipes and
 * timers exist before a file starts.
 */
const KINDS = [
  'ChildProcess',
  'HTTPServer',
  'PipeWrap',
  'ProcessWrap',
  'TCPServerWrap',
  'TCPSocketWrap',
  'TLSWrap',
  'Timeout',
  'UDPWrap',
];
/** Sockets close a moment after they are told to. */
const LIMIT_MS = 3_000;

/** Returns how many resources of each kind keep the process alive now. */
function count() {
  const counts = new Map(KINDS.map((kind) => [kind, 0]));
  for (const kind of process.getActiveResourcesInfo()) {
    if (counts.has(kind)) counts.set(kind, counts.get(kind) + 1);
  }
  return counts;
}

/**
 * Fails a test file that leaves a server, a socket, a timer or a child process open. Jest would
 * have to kill its worker, and the leftover would disturb later files.
 */
module.exports = class HandleWatchEnvironment extends TestEnvironment {
  #before = count();
  #hasFailed = false;

  /** A failed test may not have cleaned up; its own message is then the relevant one. */
  handleTestEvent({ name, test }) {
    if (name === 'hook_failure' || name === 'error' || test?.errors.length > 0)
      this.#hasFailed = true;
  }

  async teardown() {
    await super.teardown();
    if (this.#hasFailed) return;
    let left = this.#left();
    for (const until = Date.now() + LIMIT_MS; left.length > 0 && Date.now() < until;) {
      await sleep(20);
      left = this.#left();
    }
    if (left.length === 0) return;
    const message = `The file leaves open: ${left.join(', ')}. Run it alone with --detectOpenHandles to see where.`;
    // The stack would only point to this file.
    throw Object.assign(new Error(message), { stack: message });
  }

  #left() {
    return [...count()].flatMap(([kind, now]) => {
      const more = now - this.#before.get(kind);
      return more > 0 ? [`${kind} (${more})`] : [];
    });
  }
};
