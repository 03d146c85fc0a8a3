import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { parseIsoTime } from '../kernel/iso-time.js';
import type { Principal } from '../kernel/principal.js';
import { ServiceLogger } from '../observability/service-logger.js';
import {
  DealSetReads,
  callerOf,
  type DealSetRead,
  type ListCall,
  type ListRead,
} from './deal-set-reads.js';

/**
 * Calls the port `DealSetReads` and verifies that each result was read for the caller and has the
 * values of the response headers. Without these checks, a cache whose keys omit the caller would
 * send the names in a session's labels to an assistant, and a result without `asOf` would leave a
 * poller without its next `since`.
 */
@Injectable()
export class VerifiedReads {
  constructor(
    private readonly reads: DealSetReads,
    private readonly logger: ServiceLogger,
  ) {}

  /**
   * Reads the list.
   *
   * @throws {AppError} `internal` for a result that was read for another caller, or whose `hasMore`
   *   or `asOf` cannot be sent.
   */
  async list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead> {
    const result = await contractErrorsOnly(deadline, () =>
      this.reads.list(principal, call, deadline),
    );
    return this.#verified(result, callerProblem(result, principal) ?? headerProblem(result, call));
  }

  /**
   * Reads one deal set.
   *
   * @throws {AppError} `internal` for a result that was read for another caller.
   */
  async get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead> {
    const result = await contractErrorsOnly(deadline, () =>
      this.reads.get(principal, id, deadline),
    );
    return this.#verified(result, callerProblem(result, principal));
  }

  #verified<Result>(result: Result, problem: string | undefined): Result {
    if (problem === undefined) return result;
    this.logger.error({ msg: problem, port: 'DealSetReads' });
    throw new AppError('internal', { cause: new UnusableReadError() });
  }
}

/**
 * Calls a read.
 *
 * @throws {AppError} the error of the read if it is an `AppError`, otherwise `internal`: an
 *   exception of the framework must not determine the status of the response.
 */
async function contractErrorsOnly<Result>(
  { signal }: Deadline,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof AppError ? error : new AppError('internal', { cause: error });
  }
}

/** Returns the log message for a result that was not read for the caller. */
function callerProblem(
  result: Partial<ListRead | DealSetRead> | null | undefined,
  principal: Principal,
): string | undefined {
  if (!result?.readFor) return 'result of a read has no readFor: set it';
  const isForCaller = isDeepStrictEqual(result.readFor, callerOf(principal));
  return isForCaller ? undefined : 'result was read for another caller';
}

/** Returns the log message for a list whose `hasMore` or `asOf` cannot be sent as a header. */
function headerProblem(
  { hasMore, asOf }: Partial<ListRead>,
  { sinceMs }: ListCall,
): string | undefined {
  if (typeof hasMore !== 'boolean') return 'result of a list has no hasMore: set true or false';
  if (sinceMs === undefined) {
    return asOf === null ? undefined : 'result of a list without since has asOf: set null';
  }
  const isTime = typeof asOf === 'string' && parseIsoTime(asOf) !== null;
  return isTime ? undefined : 'result of a list with since has no asOf: set an ISO 8601 time';
}

/** Thrown for a result of `DealSetReads` that must not be sent. */
class UnusableReadError extends Error {
  override readonly name = 'UnusableReadError';
}
