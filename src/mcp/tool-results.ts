import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import { envelopeOf } from '../http/error-envelope.js';
import type { AppError } from '../kernel/app-error.js';

/** Hosts show a model either the text or the structured content, so both hold all of it. */
export function resultOf(json: string): CallToolResult {
  return {
    content: [{ type: 'text', text: json }],
    structuredContent: JSON.parse(json) as Record<string, unknown>,
  };
}

/**
 * The error envelope of REST, with what a model needs to do better.
 *
 * @param problem which argument is wrong, and what it may be.
 */
export function errorResult(
  { code, reason, retryAfterSeconds }: AppError,
  problem?: string,
): CallToolResult {
  const more = {
    ...(retryAfterSeconds !== undefined && {
      retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
    }),
    ...(problem !== undefined && { problem }),
  };
  const envelope = JSON.parse(envelopeOf(code, reason).body) as object;
  return {
    content: [{ type: 'text', text: JSON.stringify({ ...envelope, ...more }) }],
    isError: true,
  };
}

/** Becomes a JSON-RPC error. */
export function unknownTool(): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool');
}
