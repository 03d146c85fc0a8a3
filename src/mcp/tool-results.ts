import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import { envelopeOf } from '../http/error-envelope.js';
import type { AppError } from '../kernel/app-error.js';

/** @param json an object. Hosts show a model either form, so both hold all of it. */
export function jsonResult(json: string): CallToolResult {
  return {
    content: [{ type: 'text', text: json }],
    structuredContent: JSON.parse(json) as Record<string, unknown>,
  };
}

/** The error envelope of REST, with the seconds to wait where they are known. */
export function errorResult({ code, reason, retryAfterSeconds }: AppError): CallToolResult {
  const { body } = envelopeOf(code, reason);
  const seconds =
    retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(retryAfterSeconds));
  const text =
    seconds === undefined ? body : `${body.slice(0, -1)},"retryAfterSeconds":${seconds}}`;
  return { content: [{ type: 'text', text }], isError: true };
}

/** Thrown inside the library, which answers it as an error of JSON-RPC. */
export class UnknownTool extends ProtocolError {
  constructor() {
    super(ProtocolErrorCode.InvalidParams, 'Unknown tool');
  }
}

export function unknownTool(): never {
  throw new UnknownTool();
}
