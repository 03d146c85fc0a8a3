/**
 * The environment of a process whose output a test reads. It turns colors off: on a terminal Jest
 * sets `FORCE_COLOR` for its workers, and a process that inherits it writes escape sequences even
 * into a pipe.
 *
 * @param env the variables of the process. Every process also gets the paths of programs, the
 *   user's files and temporary files.
 */
export function childEnvironment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    TMPDIR: process.env['TMPDIR'],
    ...env,
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  };
}
