import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
import { Log } from '../observability/logger.js';
import {
  DealSetReads,
  readFor,
  type DealSetRead,
  type ListCall,
  type ListRead,
} from './deal-set-reads.js';

/**
 * Calls the port `DealSetReads` and verifies that each result was read for the caller. Without this
 * check, a cache whose keys omit the caller would send the names in a session's labels to an
 * assistant.
 */
@Injectable()
export class VerifiedReads {
  constructor(
    private readonly reads: DealSetReads,
    private readonly log: Log,
  ) {}

  /**
   * Reads the list.
   *
   * @throws {AppError} `internal` for a result that was read for another caller.
   */
  async list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead> {
    return this.#verified(await this.reads.list(principal, call, deadline), principal);
  }

  /**
   * Reads one deal set.
   *
   * @throws {AppError} `internal` for a result that was read for another caller.
   */
  async get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead> {
    return this.#verified(await this.reads.get(principal, id, deadline), principal);
  }

  #verified<Result extends ListRead | DealSetRead>(
    result: Result | null | undefined,
    principal: Principal,
  ): Result {
    if (result && isDeepStrictEqual(result.readFor, readFor(principal))) return result;
    this.log.error({ port: 'DealSetReads' }, 'result was read for another caller');
    throw new AppError('internal', { cause: new ReadForAnotherError() });
  }
}

/** Thrown for a result that the provider of `DealSetReads` read for another caller. */
class ReadForAnotherError extends Error {
  override readonly name = 'ReadForAnotherError';
}
