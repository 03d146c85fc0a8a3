/** The word for a method or a tool that the service does not have. */
export const OTHER = 'other';

/**
 * An assistant's call of `/mcp`, for the log line, the metrics, the observer and the span of its
 * request. The values are from closed sets. A tool that fails usually has a response with status
 * 200.
 */
export interface McpCallFacts {
  /** The JSON-RPC method, such as `tools/call`; `other` for one that the service does not have. */
  readonly rpcMethod: string;
  /** The tool that was called; `other` for one that the service does not have. */
  readonly tool?: string | undefined;
  /** The error code of the tool's result; undefined if it succeeded. */
  readonly toolError?: string | undefined;
}
