import { ResponseDto, Shown } from '../../redaction/field.decorators.js';
import { DealSetResult } from './deal-set-result.js';
import { DealSetEntry, SingleEntry } from './list-entry.js';

/** The response body of the list. */
@ResponseDto('The buyer’s requests, one summary each.')
export class ListResponse {
  @Shown('One entry for each request. Skip entries of an unknown kind.', {
    oneOf: { by: 'kind', classes: () => [DealSetEntry, SingleEntry] },
    isList: true,
  })
  readonly data!: readonly (DealSetEntry | SingleEntry)[];
}

/** The response body of one deal set. */
@ResponseDto('One deal set with its ranked results.')
export class DealSetResponse {
  @Shown('The deal set.', { type: () => DealSetResult })
  readonly data!: DealSetResult;
}
