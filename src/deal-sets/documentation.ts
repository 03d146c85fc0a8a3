import type { EndpointDocumentation } from '../http/endpoint.decorator.js';
import { REPLIES_LIMIT_MS } from './deal-sets.service.js';
import { dealSetExample, listExample } from './examples.js';

const tag = { name: 'Deal sets', description: 'Requests for prices, and what came back.' };

export const LIST_DOCUMENTATION: EndpointDocumentation = {
  tag,
  responseDescription: 'The requests.',
  responseHeaders: {
    'Service-As-Of': {
      description: 'Only with `since`: the time to pass as `since` on the next call.',
      schema: { type: 'string', format: 'date-time' },
      isAlways: false,
    },
    'Service-More': {
      description:
        'Whether something was left out: of the active requests on a plain call, of the changed ones with `since`.',
      schema: { type: 'string', enum: ['true', 'false'] },
      isAlways: true,
    },
  },
  example: listExample,
  extensions: { 'x-list-bounds': { maxItems: 4, itemDeadlineMs: REPLIES_LIMIT_MS } },
};

export const GET_DOCUMENTATION: EndpointDocumentation = {
  tag,
  responseDescription: 'The deal set.',
  example: dealSetExample,
};
