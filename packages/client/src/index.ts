export { DealSetsError } from './deal-sets-error.js';
export type {
  DealSetsErrorCode,
  DealSetsErrorDetails,
  ServiceErrorCode,
} from './deal-sets-error.js';
