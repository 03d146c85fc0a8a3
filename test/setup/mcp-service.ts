import { DealSetsMcpModule } from '../../src/mcp.js';
import { TestService, type Credential, type TestServiceOptions } from './test-service.js';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import type { HttpResponse } from './http-call.js';

export const MODERN = '2026-07-28';

/** The parts of a JSON-RPC response that the tests read. */
export interface McpResponse extends HttpResponse {
  readonly message: {
    readonly result?: ToolResult & { readonly tools?: readonly Tool[] };
    readonly error?: { readonly code: number | string; readonly message: string };
  };
}

/** A tool of `tools/list`. */
export interface Tool {
  readonly name: string;
  readonly outputSchema: object;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** The real application with MCP on, and calls of its endpoint without an MCP client. */
export class McpService {
  private constructor(
    readonly service: TestService,
    readonly publicUrl: string,
    private readonly isWatched: boolean,
  ) {}

  /**
   * @param options.isWatched whether what assistants receive is searched for secrets when the
   *   service stops.
   */
  static async start({
    env = {},
    isWatched = true,
    ...options
  }: TestServiceOptions & { readonly isWatched?: boolean } = {}): Promise<McpService> {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const service = await TestService.start({
      ...options,
      // Without effect standalone, where the service imports MCP itself.
      hostApplication: {
        ...options.hostApplication,
        imports: [DealSetsMcpModule, ...(options.hostApplication?.imports ?? [])],
      },
      env: {
        PORT: String(port),
        PUBLIC_URL: publicUrl,
        MCP: 'on',
        AUTH_AUDIENCE: `https://deal-sets.test/api,${publicUrl},${publicUrl}/mcp`,
        ...env,
      },
    });
    return new McpService(service, publicUrl, isWatched);
  }

  get address(): string {
    return `${this.publicUrl}/mcp`;
  }

  /** A token for `/mcp` of an assistant of this buyer. */
  tokenFor(buyerId: string, claims: Record<string, unknown> = {}): Promise<{ token: string }> {
    return this.service.tokenFor(buyerId, { aud: this.address, ...claims });
  }

  /**
   * Posts one request of the modern protocol era; its headers are derived from it unless others are
   * given.
   */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    credential: Credential,
    headers: Record<string, string> = {},
  ): Promise<McpResponse> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
    const { name } = params;
    return this.post(
      JSON.stringify(body),
      {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
        ...headers,
      },
      credential,
    );
  }

  /** Posts a body unchanged. */
  async post(
    body: string,
    headers: Record<string, string>,
    credential: Credential,
  ): Promise<McpResponse> {
    const response = await this.service.send(
      'POST',
      '/mcp',
      credential,
      {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    );
    if (this.isWatched) this.service.watch(response.text);
    return { ...response, message: (response.text ? JSON.parse(response.text) : {}) as never };
  }

  /** Calls a tool and returns its result; the response must be a result or a tool error. */
  async tool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    credential: Credential,
  ): Promise<ToolResult> {
    const { status, message, text } = await this.request(
      'tools/call',
      { name, arguments: input },
      credential,
    );
    if (status !== 200 || !message.result) throw new Error(`${status} ${text}`);
    return message.result;
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}
