import type { CallToolResult } from '@modelcontextprotocol/server';
import { errorEnvelope, errorMessage } from '../kernel/error-catalogue.js';
import type { AppError } from '../kernel/app-error.js';

/**
 * Returns the result of a tool call that failed with an error to which the model can react. Its
 * text is the error envelope and, if the wait is known, `retryAfterSeconds`.
 */
export function toolError({ code, reason, retryAfterSeconds }: AppError): CallToolResult {
  const message = errorMessage(code, reason, 'argument');
  const envelope = { ...errorEnvelope(code, message), retryAfterSeconds };
  return { content: [{ type: 'text', text: JSON.stringify(envelope) }], isError: true };
}
