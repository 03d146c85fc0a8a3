import { randomUUID } from 'node:crypto';
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import { envelopeOf } from '../http/error-envelope.js';
import type { AppError } from '../kernel/app-error.js';

/** The result of a tool: JSON text of the value of `content` and the members that follow it. */
export class ToolResult {
  private constructor(readonly json: string) {}

  /** Hosts show a model either the text or the structured content, so both hold all of it. */
  static of(json: string): ToolResult {
    return new ToolResult(`${textContent(json)},"structuredContent":${json}`);
  }

  /** The error envelope of REST, with the seconds to wait where they are known. */
  static ofError({ code, reason, retryAfterSeconds }: AppError): ToolResult {
    const { body } = envelopeOf(code, reason);
    const seconds =
      retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(retryAfterSeconds));
    const text =
      seconds === undefined ? body : `${body.slice(0, -1)},"retryAfterSeconds":${seconds}}`;
    return new ToolResult(`${textContent(text)},"isError":true`);
  }
}

const textContent = (text: string): string => `[{"type":"text","text":${JSON.stringify(text)}}]`;

/** What the library frames in place of a result. A client cannot know it, so nothing else of a response is it. */
const PLACE = randomUUID();
const FRAMED_PLACE = textContent(PLACE);

/**
 * A small result in the place of a large one. The library would parse, check, copy and write the JSON
 * several times; as it is, the result is written into the finished response.
 */
export function placeForResult(): CallToolResult {
  return { content: [{ type: 'text', text: PLACE }] };
}

/** The response that the library made around the place of a result. */
export class ResponseFrame {
  private constructor(
    private readonly head: string,
    private readonly tail: string,
  ) {}

  static of(response: string): ResponseFrame {
    const start = response.indexOf(FRAMED_PLACE);
    if (start === -1) throw new Error('the MCP library changed the result of a tool');
    return new ResponseFrame(response.slice(0, start), response.slice(start + FRAMED_PLACE.length));
  }

  /** The frame of a request that differs in its id alone; undefined where the id is not the response's last member. */
  withoutId(id: unknown): ResponseFrame | undefined {
    const end = endOf(id);
    if (!this.tail.endsWith(end)) return undefined;
    return new ResponseFrame(this.head, this.tail.slice(0, -end.length));
  }

  withId(id: unknown): ResponseFrame {
    return new ResponseFrame(this.head, this.tail + endOf(id));
  }

  /** The response with the result in its place. */
  around({ json }: ToolResult): string {
    return this.head + json + this.tail;
  }
}

const endOf = (id: unknown): string => `,"id":${JSON.stringify(id)}}`;

/** Thrown inside the library, which turns it into a JSON-RPC error. */
export class UnknownTool extends ProtocolError {
  constructor() {
    super(ProtocolErrorCode.InvalidParams, 'Unknown tool');
  }
}

export function unknownTool(): never {
  throw new UnknownTool();
}
