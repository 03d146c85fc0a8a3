/**
 * The environment of a process whose output a test reads. It turns colors off: on a terminal Jest sets
 * `FORCE_COLOR` for its workers, and whatever inherits that writes escape sequences into a pipe too.
 *
 * @param env the variables of the process. By default only what every program needs: where programs are and where the
 *   user's files are.
 */
export function childEnvironment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    ...env,
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  };
}
