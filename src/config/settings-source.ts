/** Where settings come from, for messages and for the checks at boot. */
export interface SettingsSource {
  /** Returns the name under which a variable of the service is set in this source. */
  readonly nameOf: (variable: string) => string;
  /** The condition under which the application is not in production. Completes "unless …". */
  readonly developmentMode: string;
  /**
   * Whether the source can also contain variables of the host application, as an environment
   * without a prefix does.
   */
  readonly isShared: boolean;
}

/** An environment whose variables have the names of `.env.example`. */
export const PLAIN_ENVIRONMENT: SettingsSource = {
  nameOf: (variable) => variable,
  developmentMode: 'NODE_ENV is unset, development or test',
  isShared: true,
};

/**
 * Returns the source of an environment in which every variable but `NODE_ENV` has a prefix.
 * `NODE_ENV` describes the process, not the service, so it keeps its name.
 */
export function prefixedEnvironment(prefix: string): SettingsSource {
  return {
    nameOf: (variable) => (variable === 'NODE_ENV' ? variable : prefix + variable),
    developmentMode: PLAIN_ENVIRONMENT.developmentMode,
    isShared: false,
  };
}

/** Selects the variables with the prefix, and `NODE_ENV`, under their names in `.env.example`. */
export function withoutPrefix(env: NodeJS.ProcessEnv, prefix: string): NodeJS.ProcessEnv {
  const variables = Object.entries(env)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, text]) => [name.slice(prefix.length), text] as const);
  return { ...Object.fromEntries(variables), NODE_ENV: env['NODE_ENV'] };
}
