import { mixin, type ExceptionFilter, type Type } from '@nestjs/common';
import { ContractFilter } from './contract.filter.js';
import type { EndpointError } from './endpoint-error.js';

/**
 * Creates the exception filter of an endpoint that declares errors in addition to those of the
 * contract.
 */
export function endpointFilter(errors: readonly EndpointError[]): Type<ExceptionFilter> {
  class EndpointFilter extends ContractFilter {
    protected override readonly declaredErrors = errors;
  }
  return mixin(EndpointFilter);
}
