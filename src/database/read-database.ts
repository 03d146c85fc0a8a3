import type { PrincipalType } from '../kernel/principal.js';
import type { ReadNode } from './cancellable-query-runner.js';

/**
 * The databases that the service reads, and the token under which Nest injects them. Each principal
 * type reads under a database role of its own, which has no privilege on withheld columns. The
 * service opens and closes the connections.
 */
export abstract class ReadDatabase {
  /**
   * The primary, for sign-in and health. It has connections of its own, so that slow reads cannot
   * starve it.
   */
  abstract readonly signIn: ReadNode;

  /**
   * Runs `work` on a server for deal data: the replica where there is one, else the primary. When
   * the server is lost meanwhile, `work` is run once more on the primary.
   *
   * @param work must only read, because it may run twice.
   */
  abstract read<T>(
    principalType: PrincipalType,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T>;

  /**
   * Looks for one row as `read` does. When a replica does not have the row, the primary is queried
   * as well: a replica lags, and the row may be new.
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
   * Runs `work` on the server that answered an earlier read, for what must be read there as well. A
   * lost connection costs one more try on the same server.
   *
   * @param work must only read, because it may run twice.
   */
  abstract readOn<T>(
    node: ReadNode,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T>;
}
