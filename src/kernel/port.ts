import { AppError } from './app-error.js';

/** A failure of a port's implementation. Log lines contain the name of the port. */
export class PortError extends Error {
  override readonly name = 'PortError';

  /**
   * @param port the name of the port's class.
   * @param cause what the implementation threw.
   */
  constructor(
    readonly port: string,
    cause: unknown,
  ) {
    super(port, { cause });
  }
}

/**
 * Calls a port, which a host application may have replaced.
 *
 * @param port the name of the port's class, for the log.
 * @throws {AppError} what the implementation throws as an error of the service.
 * @throws {PortError} with any other error of the implementation as its cause.
 */
export async function callPort<Result>(
  port: string,
  call: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof AppError ? error : new PortError(port, error);
  }
}

/**
 * Checks that the implementation of a port has its methods. Nest's providers are untyped, so a value
 * in the form of an earlier version compiles.
 *
 * @param port the name of the port's class.
 * @throws {Error} naming the port and the methods that it lacks.
 */
export function assertImplemented(
  port: string,
  methods: readonly string[],
  implementation: unknown,
): void {
  const members = Object(implementation) as Readonly<Record<string, unknown>>;
  const missing = methods.filter((name) => typeof members[name] !== 'function');
  if (missing.length === 0) return;
  throw new Error(
    `providers: the provider of ${port} has no method ${missing.join(', ')}: implement the class ${port} of this version`,
  );
}
