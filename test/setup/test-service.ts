import { Agent, type Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { loadServiceSettings, type ServerOptions } from '../../src/config/service-settings.js';
import { loadSettings, type SettingsOptions } from '../../src/config/settings.js';
import type { DealSetsModuleOptions } from '../../src/deal-sets/extension/deal-sets-options.module.js';
import type { TimeLimits } from '../../src/kernel/time-limits.js';
import { JsonLogger } from '../../src/observability/json-logger.js';
import { openService } from '../../src/standalone/start-service.js';
import { ResponseCheck } from './response-check.js';
import { bearer, call, cookie, type CallOptions, type HttpResponse } from './http-call.js';
import { HOST, hostedPath, startHost, type HostApplication } from './host-application.js';
import { withLimits } from './long-limits.js';
import { leaksIn, secretsOf } from './leak-scan.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { TestIssuer } from '../../packages/testing/src/test-issuer.js';

/** The credential of a request; undefined for none. */
export type Credential = { readonly cookie: string } | { readonly token: string } | undefined;

export interface JsonResponse<T = unknown> extends HttpResponse {
  readonly body: T;
}

/** Returns the headers of a request with this credential. */
export function signInHeaders(credential: Credential): Readonly<Record<string, string>> {
  if (credential === undefined) return {};
  return 'cookie' in credential
    ? cookie(credential.cookie).headers
    : bearer(credential.token).headers;
}

/** The service on its own, or a host application with the module. */
interface Running {
  readonly app: INestApplication;
  readonly url: string;
  stop(): Promise<void>;
}

/** The options of the module besides the settings. */
export type HostOptions = Omit<DealSetsModuleOptions, 'settings'>;

export interface TestServiceOptions {
  /** Settings besides the test's own; undefined for the service's default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Settings that replace the test's own and `env`. */
  readonly settings?: SettingsOptions;
  /** The options that a host application passes to the module. */
  readonly hostOptions?: HostOptions;
  /** The additions of the host application; without effect standalone. */
  readonly hostApplication?: HostApplication;
  /** Time limits that a fault must reach. The others are longer than a busy machine needs. */
  readonly limits?: Partial<TimeLimits>;
  /** A database that the caller created and drops. Default: a new one. */
  readonly database?: TestDatabase;
  /** An issuer that the caller started and closes. Default: a new one. */
  readonly issuer?: TestIssuer;
}

/**
 * The settings of the module, as options or as a host application loads them, and of the server.
 */
function settingsOf(
  { settings }: TestServiceOptions,
  env: NodeJS.ProcessEnv,
): { settings: SettingsOptions; server: ServerOptions } {
  if (settings) return { settings, server: { port: 0, logLevel: 'trace' } };
  if (!HOST) return loadServiceSettings(env);
  const server = { port: Number(env['PORT']), logLevel: 'trace' } as const;
  return { settings: loadSettings(env), server };
}

/**
 * The real application on a real socket and a real database. Tests start it in their own process
 * only with this class. Responses to `get` are checked against the API description. `stop` searches
 * every byte that `get` received for an assistant for withheld values, and every log line for those
 * and for the credentials that were sent.
 */
export class TestService {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #assistantResponses: string[] = [];
  readonly #credentials = new Set<string>();
  #check: ResponseCheck | undefined;

  private constructor(
    readonly database: TestDatabase,
    private readonly running: Running,
    readonly issuer: TestIssuer,
    /** The lines that the service has logged so far. */
    readonly logLines: readonly string[],
    /** Closes what the caller did not pass in. */
    private readonly release: () => Promise<void>,
  ) {}

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const database = options.database ?? (await createTestDatabase());
    const issuer = options.issuer ?? (await TestIssuer.start());
    const release = async (): Promise<void> => {
      if (!options.issuer) await issuer.stop();
      if (!options.database) await database.drop();
    };
    try {
      const { settings, server } = settingsOf(options, {
        DATABASE_URL: database.url,
        PORT: '0',
        LOG_LEVEL: 'trace',
        ...database.env,
        ...issuer.settings,
        // Suites make far more calls than a person; the limit has its own suites.
        READ_RATE_LIMIT: '1000000',
        ...options.env,
      });
      const logLines: string[] = [];
      const log = new JsonLogger(server.logLevel ?? 'info', {
        write: (line: string) => logLines.push(line),
      });
      const module = { ...options.hostOptions, settings };
      const running = await withLimits<Running>(options.limits, () =>
        HOST
          ? startHost(HOST, module, log, { port: server.port, ...options.hostApplication })
          : openService({ ...module, server }, log),
      );
      // The HTTP agent may reuse a connection at the moment when the server closes it as idle.
      (running.app.getHttpServer() as Server).keepAliveTimeout = 0;
      const service = new TestService(database, running, issuer, logLines, release);
      const description = await service.call('/api/v1/openapi.json');
      // With API_DOCS=off, the description is not served.
      if (description.status === 200) {
        service.#check = ResponseCheck.forDescription(description.text);
      }
      return service;
    } catch (error) {
      await release();
      throw error;
    }
  }

  get app(): INestApplication {
    return this.running.app;
  }

  get url(): string {
    return this.running.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Issues a token of an assistant of this buyer; it is valid only with a grant record. */
  async tokenFor(
    buyerId: string,
    claims: Record<string, unknown> = {},
  ): Promise<{ token: string }> {
    return { token: await this.issuer.token(buyerId, { claims }) };
  }

  /**
   * Calls the service and checks the response against the API description; the target is sent
   * unchanged.
   */
  async get<T = unknown>(
    target: string,
    credential: Credential,
    options: { readonly method?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<JsonResponse<T>> {
    const method = options.method ?? 'GET';
    const response = await this.send(method, target, credential, options.headers);
    if (credential && 'token' in credential) {
      this.#assistantResponses.push(JSON.stringify(response.headers) + response.text);
    }
    this.#check?.check(method, target, response);
    return {
      ...response,
      body: (response.text === '' ? undefined : JSON.parse(response.text)) as T,
    };
  }

  /**
   * Adds data that an assistant received without `get` to what is searched when the service stops.
   */
  watch(text: string): void {
    this.#assistantResponses.push(text);
  }

  /** Calls the service and does not check the response. */
  send(
    method: string,
    path: string,
    credential: Credential,
    headers: Record<string, string> = {},
    body?: string | Buffer,
  ): Promise<HttpResponse> {
    return this.call(path, {
      method,
      headers: { ...signInHeaders(credential), ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /** Like `send`, with headers in place of a credential. */
  call(path: string, options: CallOptions = {}): Promise<HttpResponse> {
    const { authorization = '', cookie: cookies = '' } = options.headers ?? {};
    for (const text of `${authorization} ${cookies}`.split(/[\s;,="]+/)) {
      // A shorter value is not a credential, and may be an ordinary word.
      if (text.length >= 16) this.#credentials.add(text);
    }
    return call(this.port, hostedPath(path), { agent: this.#agent, ...options });
  }

  /** Stops everything; fails when an assistant received, or the log contains, a secret. */
  async stop(): Promise<void> {
    const secrets = await secretsOf(this.database);
    const leaks = this.#assistantResponses.flatMap((text) => leaksIn(text, secrets));
    this.#agent.destroy();
    await this.running.stop();
    // A duration may look like a distance, and the name of a tool contains a kind of requests.
    const log = this.logLines
      .join('')
      .replaceAll(/"durationMs":[\d.]+/g, '')
      .replaceAll(/"tool":"(get_deal_set|list_price_requests)"/g, '');
    leaks.push(
      ...leaksIn(log, [...secrets, ...this.#credentials]).map((leak) => `logged: ${leak}`),
    );
    await this.release();
    expect(leaks).toEqual([]);
  }
}
