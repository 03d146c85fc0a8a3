import { Allow } from 'class-validator';
import { InputField } from '../http/input-field.decorator.js';

/** A JSON-RPC 2.0 request or notification. The protocol's library checks it. */
export class McpMessage {
  @InputField('The version of JSON-RPC.', { schema: { const: '2.0' } })
  @Allow()
  readonly jsonrpc?: unknown;

  @InputField('Id of the request; absent in a notification.', {
    schema: { type: ['string', 'integer'] },
  })
  @Allow()
  readonly id?: unknown;

  @InputField('The method, such as `tools/call`.', { schema: { type: 'string' } })
  @Allow()
  readonly method?: unknown;

  @InputField('The parameters of the method.', { schema: { type: 'object' } })
  @Allow()
  readonly params?: unknown;
}
