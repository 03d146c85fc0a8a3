import type { CallToolRequest } from '@modelcontextprotocol/server';
import type { McpMessage } from './mcp-message.dto.js';
import type { ResponseFrame } from './tool-results.js';

/** How many frames are kept: clients of one make and revision share theirs. */
const FRAME_LIMIT = 100;
/** A client that says more of itself is served without. */
const KEY_LENGTH_LIMIT = 2_000;

/** A tool call that differs in nothing that the library looks at from one that it let pass. */
export interface KnownCall {
  readonly frame: ResponseFrame;
  readonly params: CallToolRequest['params'];
}

/**
 * What the library made of tool calls so far. Its checks and its frame depend on the headers and on the message
 * without its id and the tool's arguments, and on nothing of the caller; they take several times as long as
 * the rest of a call. Only calls that came to the end of a tool are kept: an error is never remembered.
 */
export class KnownFrames {
  readonly #frames = new Map<string, ResponseFrame>();

  /** @returns undefined for anything but a tool call in the form of one that was kept. */
  find(message: McpMessage, headers: readonly (string | null)[]): KnownCall | undefined {
    const key = keyOf(message, headers);
    const frame = key === undefined ? undefined : this.#frames.get(key);
    if (!frame) return undefined;
    return { frame: frame.withId(message.id), params: message.params as CallToolRequest['params'] };
  }

  /** Keeps the frame of a call that a tool has answered. */
  keep(message: McpMessage, headers: readonly (string | null)[], frame: ResponseFrame): void {
    const key = keyOf(message, headers);
    const withoutId = frame.withoutId(message.id);
    if (key === undefined || !withoutId) return;
    for (const oldest of this.#frames.keys()) {
      if (this.#frames.size < FRAME_LIMIT) break;
      this.#frames.delete(oldest);
    }
    this.#frames.set(key, withoutId);
  }
}

/** Everything of a tool call that the library looks at, where the rest of it is as it must be. */
function keyOf(message: McpMessage, headers: readonly (string | null)[]): string | undefined {
  const { id, params, ...rest } = message;
  if (rest.method !== 'tools/call' || !isObject(params)) return undefined;
  const isId = typeof id === 'string' || Number.isSafeInteger(id);
  const { arguments: input = {}, ...others } = params;
  if (!isId || !isObject(input)) return undefined;
  const key = JSON.stringify([headers, rest, others]);
  return key.length > KEY_LENGTH_LIMIT ? undefined : key;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
