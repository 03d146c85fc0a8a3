export { DealSetsClient } from './deal-sets-client.js';
export { DealSetsError } from './deal-sets-error.js';
export type {
  DealSetsErrorCode,
  DealSetsErrorDetails,
  ServiceErrorCode,
} from './deal-sets-error.js';
export type {
  AccessTokenRequest,
  CallOptions,
  DealSetsClientOptions,
  PollOptions,
} from './options.js';
export type { ResponseDetails, ResponsePromise, WithResponse } from './response-promise.js';
export type {
  Changes,
  DealSetEntry,
  DealSetResult,
  Hero,
  ListEntry,
  ListResult,
  NeedsYouItem,
  PollBatch,
  RankedGroup,
  ReadAllResult,
  Row,
  SingleEntry,
} from './types.js';
