import type { PrincipalType } from '../kernel/principal.js';
import type { ReadNode } from './cancellable-reader.js';

/**
 * Runs the service's reads. The class is also the injection token. Each principal type reads with
 * its own database role, which has no privilege on the columns withheld from it. The service opens
 * and closes the connections.
 */
export abstract class ReadDatabase {
  /**
   * The primary, for sign-in and health checks. It has its own connections, so that slow reads
   * cannot block it.
   */
  abstract readonly signIn: ReadNode;

  /**
   * Runs `work` on a server for deal data: the replica if there is one, otherwise the primary. If
   * the server is lost in the meantime, `work` is run once more on the primary.
   *
   * @param work must only read, because it may run twice.
   */
  abstract read<T>(
    principalType: PrincipalType,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T>;

  /**
   * Looks for one row in the same way as `read`. When a replica does not have the row, the primary
   * is queried as well, because a replica lags and the row may be new.
   *
   * @param work resolves to null when the server does not have the row; it must only read.
   * @throws {AppError} `unavailable` when the primary is needed and cannot be reached.
   */
  abstract readOne<T>(
    principalType: PrincipalType,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T | null>,
  ): Promise<T | null>;

  /**
   * Runs `work` on the server of an earlier read, for data that must come from the same server.
   * After a lost connection, `work` is run once more on that server.
   *
   * @param work must only read, because it may run twice.
   */
  abstract readOn<T>(
    node: ReadNode,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T>;
}
