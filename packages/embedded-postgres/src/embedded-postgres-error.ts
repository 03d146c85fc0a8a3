/** The embedded PostgreSQL cannot work here; the message is one plain sentence that names the way out. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  /** @param problem completes "The embedded PostgreSQL …". */
  static of(problem: string, cause?: unknown): EmbeddedPostgresError {
    return new EmbeddedPostgresError(`The embedded PostgreSQL ${problem}, or set DATABASE_URL.`, {
      cause,
    });
  }

  /** Of a system error on one of its files. */
  static ofFile(error: unknown, path: string): EmbeddedPostgresError {
    if (error instanceof EmbeddedPostgresError) return error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const problem =
      code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
        ? `cannot write ${path}: give this user write permission there`
        : code === 'ENOSPC' || code === 'EDQUOT'
          ? `cannot write ${path}: free some disk space`
          : `cannot use ${path} (${code}): make it a folder this user may write`;
    return EmbeddedPostgresError.of(problem, error);
  }
}
