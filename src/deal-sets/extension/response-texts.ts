import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import { callHostCode } from '../../kernel/host-code.js';
import { callPort } from '../../kernel/port.js';
import type { Principal } from '../../kernel/principal.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import { TimeLimits } from '../../kernel/time-limits.js';
import { errorFields } from '../../observability/error-fields.js';
import { ServiceLogger } from '../../observability/service-logger.js';
import { ENGLISH } from '../domain/english-texts.js';
import type { Texts } from '../domain/texts.js';
import { DisplayTexts, EnglishDisplayTexts } from './display-texts.js';

/** Calls the texts of the host application for the responses of the two reads. */
@Injectable()
export class ResponseTexts {
  constructor(
    private readonly displayTexts: DisplayTexts,
    private readonly english: EnglishDisplayTexts,
    private readonly logger: ServiceLogger,
    private readonly limits: TimeLimits,
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
      const texts = await withTimeLimit(this.limits.displayTextsMs, signal, (limit) =>
        callPort('DisplayTexts', () => this.displayTexts.forCaller(principal, limit)),
      );
      return this.#guarded(texts);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#failure(error);
    }
  }

  /**
   * Wraps the texts of a host application so that none of them determines the status of the
   * response or ends the process. If a text throws, the response is 500 `internal`. If it is a
   * promise, the response is 500 as for any other value that is not a string.
   */
  #guarded(texts: Texts): Texts {
    const guard = (text: () => string): string => {
      try {
        return callHostCode(text);
      } catch (error) {
        throw this.#failure((error as AppError).cause);
      }
    };
    return {
      car: (car) => guard(() => texts.car(car)),
      shortCar: (car) => guard(() => texts.shortCar(car)),
      requestedCar: (car) => guard(() => texts.requestedCar(car)),
      status: (row) => guard(() => texts.status(row)),
      questionHeading: (question) => guard(() => texts.questionHeading(question)),
      headerLine: (counts) => guard(() => texts.headerLine(counts)),
      dealSetHref: (dealSetId) => guard(() => texts.dealSetHref(dealSetId)),
      priceCheckHref: (dealSetId, rowId) => guard(() => texts.priceCheckHref(dealSetId, rowId)),
    };
  }

  #failure(cause: unknown): AppError {
    this.logger.error({ msg: 'display texts failed', port: 'DisplayTexts', ...errorFields(cause) });
    return new AppError('internal', { cause });
  }
}
