import * as z from 'zod';
import { PARTS } from './fit-result.js';
import { toolInput } from './tool-input.js';

/** What a model should know before its first call. */
export const INSTRUCTIONS =
  'Reads a car buyer’s price requests to dealerships and the prices that came back. Money is in whole US cents. ' +
  '`isVerifiedPartner` false means “unknown”: never say that the dealership is not a partner. Dealerships’ names, ' +
  'contacts and distances and the text of messages are never included: labels describe the car instead. ' +
  'To follow changes call list_price_requests with `since`, and pass the `asOf` of each result as the next `since`: ' +
  'at once while `more` is true, otherwise after half a minute or more.';

/** The names of the tools. */
export const TOOL_NAMES = { list: 'list_price_requests', get: 'get_deal_set' } as const;

/** Both tools only read the buyer's own requests. */
const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Declares an argument that may be left out. Models also send null or an empty text in place of an
 * argument that they leave out.
 *
 * @param type the type in the advertised schema, which is a list of two types, because some clients
 *   do not accept `anyOf`.
 */
function optional<Value>(
  value: z.ZodType<Value>,
  type: 'string' | 'integer',
  schema: Readonly<Record<string, unknown>>,
): z.ZodOptional<z.ZodType<Value | undefined>> {
  return z
    .preprocess((sent) => (sent === null || sent === '' ? undefined : sent), value.optional())
    .meta({ ...schema, type: [type, 'null'] })
    .optional();
}

/** The tool that lists the buyer's requests, as `GET /api/v1/deal-sets` does. */
export const LIST_TOOL = {
  title: 'List price requests',
  annotations: READS,
  description:
    'Lists the buyer’s requests to car dealerships with the lowest price that each has in writing. Without `since`: the active requests. With `since`: the requests that changed after that time, ended ones included, oldest change first.',
  inputSchema: toolInput(
    z.strictObject({
      // REST's rules decide whether a time or an id is valid.
      since: optional(z.string(), 'string', {
        format: 'date-time',
        description: 'An ISO 8601 time with a zone, such as 2026-10-14T16:00:00Z.',
      }),
    }),
  ),
};

/** The tool that reads one deal set, as `GET /api/v1/deal-sets/{id}` does. */
export const GET_TOOL = {
  title: 'Read a deal set',
  annotations: READS,
  description:
    'Reads one of the buyer’s deal sets: what dealerships answered, ranked by out-the-door price in US cents, and the rows that are not ranked. Only for entries with `kind` `deal_set`: a request to one dealership has only its list entry. A large deal set is split: `omitted` counts what is left out; call again with the arguments in `next`.',
  inputSchema: toolInput(
    z.strictObject({
      dealSetId: z.string().meta({ format: 'uuid', description: 'A `dealSetId` of the list.' }),
      part: optional(z.enum(PARTS), 'string', {
        enum: [...PARTS, null],
        description: 'Only the rows or items of this part. Default: all.',
      }),
      from: optional(z.int().min(0), 'integer', {
        description:
          'Start at this row or item of `part`, counted from 0. Without `part`, it counts within `needs_you`.',
      }),
    }),
  ),
};
