import { Catch } from '@nestjs/common';
import { ContractFilter } from './contract.filter.js';

/**
 * The exception filter of the contract's endpoints. They send only the statuses of the contract,
 * even if guards, pipes or interceptors of a host application throw exceptions with other statuses.
 */
@Catch()
export class ContractStatusesFilter extends ContractFilter {
  protected override readonly hasContractStatusesOnly = true;
}
