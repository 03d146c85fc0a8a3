import { fileURLToPath } from 'node:url';

/** The package's folder of migrations: two levels up from here, in the sources as in the build. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../migrations', import.meta.url));
