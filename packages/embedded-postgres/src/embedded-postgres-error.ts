/** The embedded PostgreSQL cannot work here; the message is one plain sentence that names the way out. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Turns a system error on one of the embedded PostgreSQL's files into a sentence a person can act on. */
export function fileProblem(error: unknown, path: string): EmbeddedPostgresError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  const reason =
    code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
      ? `cannot write ${path}: give this user write permission there`
      : code === 'ENOSPC' || code === 'EDQUOT'
        ? `cannot write ${path}: free some disk space`
        : `cannot use ${path} (${code}): make it a folder this user may write`;
  return new EmbeddedPostgresError(`The embedded PostgreSQL ${reason}, or set DATABASE_URL.`, {
    cause: error,
  });
}
