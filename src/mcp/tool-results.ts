import { randomUUID } from 'node:crypto';
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import { envelopeOf } from '../http/error-envelope.js';
import type { AppError } from '../kernel/app-error.js';

/** The result of a tool as JSON text: an object. */
export class JsonResult {
  constructor(readonly json: string) {}
}

/** What the library frames in place of a result. A client cannot know it, so nothing else of a response is it. */
const PLACE = randomUUID();
const FRAMED_PLACE = JSON.stringify([{ type: 'text', text: PLACE }]);

/**
 * A small result in the place of a large one. The library would parse, check, copy and write the JSON
 * several times; as it is, the result is written into the finished response.
 */
export function placeForResult(): CallToolResult {
  return { content: [{ type: 'text', text: PLACE }] };
}

/**
 * Writes the result into the response that the library made. Hosts show a model either the text or the
 * structured content, so both hold all of it.
 */
export function writeResult(response: string, { json }: JsonResult): string {
  const start = response.indexOf(FRAMED_PLACE);
  if (start === -1) throw new Error('the MCP library changed the result of a tool');
  const content = `[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
  return response.slice(0, start) + content + response.slice(start + FRAMED_PLACE.length);
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

/** Thrown inside the library, which turns it into a JSON-RPC error. */
export class UnknownTool extends ProtocolError {
  constructor() {
    super(ProtocolErrorCode.InvalidParams, 'Unknown tool');
  }
}

export function unknownTool(): never {
  throw new UnknownTool();
}
