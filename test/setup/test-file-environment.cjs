const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
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

/** Returns what each global is now. */
const globals = () =>
  new Map(
    Reflect.ownKeys(globalThis).map((key) => [
      key,
      Object.getOwnPropertyDescriptor(globalThis, key),
    ]),
  );

/**
 * Runs test files in the worker's own realm, which they share with the libraries that the worker has
 * loaded (`native-libraries-runtime.cjs`), and restores its globals and its environment variables
 * after each of them.
 *
 * Fails a test file that leaves a server, a socket, a timer or a child process open. Jest would
 * have to kill its worker, and the leftover would disturb later files.
 */
module.exports = class TestFileEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  /** Of the interface; `jest.useFakeTimers` uses the modern ones. */
  fakeTimers = null;
  #globals = globals();
  #variables = { ...process.env };
  #resources = count();
  #hasFailed = false;

  constructor({ projectConfig }) {
    Object.assign(globalThis, projectConfig.globals);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    // As in Jest's own environment; Node's limit of 10 hides the test.
    Error.stackTraceLimit = 100;
  }

  async setup() {}

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest would use it to compile files, which `native-libraries-runtime.cjs` does. */
  getVmContext() {
    return null;
  }

  /** A failed test may not have cleaned up; its own message is then the relevant one. */
  handleTestEvent({ name, test }) {
    if (name === 'hook_failure' || name === 'error' || test?.errors.length > 0)
      this.#hasFailed = true;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    try {
      if (!this.#hasFailed) await this.#expectNothingLeft();
    } finally {
      this.#restore();
    }
  }

  async #expectNothingLeft() {
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
      const more = now - this.#resources.get(kind);
      return more > 0 ? [`${kind} (${more})`] : [];
    });
  }

  #restore() {
    for (const [key, now] of globals()) {
      const before = this.#globals.get(key);
      if (!before && now.configurable) delete globalThis[key];
      else if (before?.configurable && before.value !== now.value)
        Object.defineProperty(globalThis, key, before);
    }
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }
};
