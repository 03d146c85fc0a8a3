import * as z from 'zod';
import { PARTS } from './fit-result.js';

/** What a model should know before its first call. */
export const INSTRUCTIONS =
  'Reads a car buyer’s price requests to dealerships and the prices that came back. Money is in whole US cents. ' +
  '`isVerifiedPartner` false means “unknown”: never say that the dealership is not a partner. Dealerships’ names, ' +
  'contacts and distances and the text of messages are never included: labels describe the car instead. ' +
  'To follow changes call list_price_requests with `since`, and pass the `asOf` of each result as the next `since`: ' +
  'at once while `more` is true, otherwise after half a minute or more.';

/** Both tools only read the buyer's own requests. */
const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The tool that lists the buyer's requests, as `GET /api/v1/deal-sets` does. */
export const LIST_TOOL = {
  title: 'List price requests',
  annotations: READS,
  description:
    'Lists the buyer’s requests to car dealerships with the lowest price that each has in writing. Without `since`: the active requests. With `since`: the requests that changed after that time, ended ones included, oldest change first.',
  inputSchema: z.strictObject({
    // REST's rules decide whether a time or an id is valid.
    since: z
      .string()
      .meta({
        format: 'date-time',
        description: 'An ISO 8601 time with a zone, such as 2026-10-14T16:00:00Z.',
      })
      .optional(),
  }),
};

/** The tool that reads one deal set, as `GET /api/v1/deal-sets/{id}` does. */
export const GET_TOOL = {
  title: 'Read a deal set',
  annotations: READS,
  description:
    'Reads one of the buyer’s deal sets: what dealerships answered, ranked by out-the-door price in US cents, and the rows that are not ranked. Only for entries with `kind` `deal_set`: a request to one dealership has only its list entry. A large deal set is split: `omitted` counts what is left out; call again with the arguments in `next`.',
  inputSchema: z.strictObject({
    dealSetId: z.string().meta({ format: 'uuid', description: 'A `dealSetId` of the list.' }),
    part: z.enum(PARTS).describe('Only the rows or items of this part. Default: all.').optional(),
    from: z
      .int()
      .min(0)
      .describe(
        'Start at this row or item of `part`, counted from 0. Without `part`, it counts within `needs_you`.',
      )
      .optional(),
  }),
};
