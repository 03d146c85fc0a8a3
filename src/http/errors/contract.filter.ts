import { Catch, type HttpException } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { errorOfService, type ErrorToSend } from './app-error.filter.js';
import { EnvelopeFilter } from './envelope.filter.js';
import { contractCodeOfStatus } from './foreign-status.js';
import type { RequestContext } from '../context/request-context.js';

/**
 * The exception filter of the contract's endpoints. They send only the errors of the contract
 * (section 7), whatever exceptions the guards, pipes and interceptors of a host application throw.
 */
@Catch()
export class ContractFilter extends EnvelopeFilter {
  protected override foreignError(exception: HttpException, context: RequestContext): ErrorToSend {
    const code = contractCodeOfStatus(exception.getStatus());
    // Only the list has input that can be invalid. On the get, which has a path parameter, 400 is a
    // defect.
    const isDefect = code === 'invalid_request' && Object.keys(context.input.params).length > 0;
    const error = new AppError(isDefect ? 'internal' : code, { cause: exception });
    return errorOfService(error, context);
  }
}
