/** The environment of this process. Nothing else in the service reads it. */
export function readEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}
