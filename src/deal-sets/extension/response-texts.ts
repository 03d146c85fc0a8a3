import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import { ignoreRejection } from '../../kernel/host-code.js';
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
      const texts = await withTimeLimit(LIMIT_MS, signal, (limit) =>
        this.displayTexts.forCaller(principal, limit),
      );
      return withoutRejections(texts);
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

/**
 * Returns the same texts. A promise in the place of a text fails the response, as any other value
 * that is not a string does; its rejection must not end the process as well.
 */
function withoutRejections(texts: Texts): Texts {
  const handled = <Value>(text: Value): Value => {
    ignoreRejection(text);
    return text;
  };
  return {
    car: (car) => handled(texts.car(car)),
    shortCar: (car) => handled(texts.shortCar(car)),
    requestedCar: (car) => handled(texts.requestedCar(car)),
    status: (row) => handled(texts.status(row)),
    questionHeading: (question) => handled(texts.questionHeading(question)),
    headerLine: (counts) => handled(texts.headerLine(counts)),
    dealSetHref: (dealSetId) => handled(texts.dealSetHref(dealSetId)),
    priceCheckHref: (dealSetId, rowId) => handled(texts.priceCheckHref(dealSetId, rowId)),
  };
}
