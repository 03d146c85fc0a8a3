import { HttpException } from '@nestjs/common';
import type { AppError } from '../kernel/app-error.js';
import { ERROR_CATALOGUE, errorMessage } from './error-catalogue.js';
import { errorEnvelope } from './error-response.js';

/**
 * An error of the contract as an exception of Nest, for handlers without `ContractFilter`: Nest's own
 * filter sends its status and its envelope, and a filter of the host application finds the
 * `AppError` in `cause`.
 */
export class ContractException extends HttpException {
  constructor(override readonly cause: AppError) {
    const { code, reason } = cause;
    const message = errorMessage(code, reason);
    super(errorEnvelope(code, message), ERROR_CATALOGUE[code].status, { cause });
    this.message = message;
  }
}
