import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import type { Principal } from '../../kernel/principal.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import { errorFields } from '../../observability/error-fields.js';
import { ServiceLogger } from '../../observability/service-logger.js';
import { ENGLISH } from '../domain/english-texts.js';
import type { Texts } from '../domain/texts.js';
import { DisplayTexts, EnglishDisplayTexts } from './display-texts.js';

/** The longest time that a response waits for its texts, in milliseconds. */
const LIMIT_MS = 1000;

/** Calls the texts of the host application for the responses of the two reads. */
@Injectable()
export class ResponseTexts {
  constructor(
    private readonly displayTexts: DisplayTexts,
    private readonly english: EnglishDisplayTexts,
    private readonly logger: ServiceLogger,
  ) {}

  /**
   * Chooses the texts of a response.
   *
   * @throws {AppError} `internal` when the port fails; the reason of the deadline's signal when the
   *   request has ended.
   */
  async forCaller(principal: Principal, { signal }: Deadline): Promise<Texts> {
    if (this.displayTexts === this.english) return ENGLISH;
    try {
      return await withTimeLimit(LIMIT_MS, signal, (limit) =>
        this.displayTexts.forCaller(principal, limit),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw this.#failure(error);
    }
  }

  /**
   * Builds a response with the texts of its caller.
   *
   * @throws {AppError} `internal` for every error: one of the texts must not determine the status
   *   of
   *   the response.
   */
  build<Response>(view: () => Response): Response {
    try {
      return view();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(cause: unknown): AppError {
    this.logger.error({ msg: 'display texts failed', port: 'DisplayTexts', ...errorFields(cause) });
    return new AppError('internal', { cause });
  }
}
