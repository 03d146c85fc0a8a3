import { Agent, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadSettings } from '../../src/config/load-settings.js';
import { createApp } from '../../src/create-app.js';
import type { DealSetsExtensions } from '../../src/extensions.js';
import { Log } from '../../src/observability/logger.js';
import { KeyServer } from '../e2e/sign-in/key-server.js';
import { AUDIENCE, ISSUER, makeKey, makeToken } from '../e2e/sign-in/test-issuer.js';
import { AnswerCheck, type Answer } from './answer-check.js';
import { leaksIn, secretsOf } from './leak-scan.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** How a request signs in. Nothing: no credential. */
export type Credential = { readonly cookie: string } | { readonly token: string } | undefined;

export interface JsonAnswer<T = unknown> extends Answer {
  readonly body: T;
}

export interface TestServiceOptions {
  /** Settings besides the test's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly extensions?: DealSetsExtensions;
  /** A database that the caller made and drops; default: a fresh one. */
  readonly database?: TestDatabase;
}

/**
 * The real application on a real socket and a real database. Every answer it gives to `get` is held
 * against the API description; when the service stops, every byte an assistant received is searched for
 * what she must not know, and every log line for that and for the credentials that were sent.
 */
export class TestService {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #assistantAnswers: string[] = [];
  readonly #credentials = new Set<string>();
  #check: AnswerCheck | undefined;

  private constructor(
    readonly database: TestDatabase,
    readonly app: NestFastifyApplication,
    readonly port: number,
    /** The issuer's key set, which can be made to misbehave. */
    readonly keyServer: KeyServer,
    private readonly key: ReturnType<typeof makeKey>,
    private readonly ownsDatabase: boolean,
    /** What the service has logged so far, a line each. */
    readonly logLines: readonly string[],
  ) {}

  static async start({
    env = {},
    extensions,
    database,
  }: TestServiceOptions = {}): Promise<TestService> {
    const ownDatabase = database ?? (await createTestDatabase());
    const keys = await KeyServer.start();
    const key = makeKey('test-key');
    keys.publish(key.jwk);
    const settings = loadSettings({
      DATABASE_URL: ownDatabase.url,
      PORT: '0',
      LOG_LEVEL: 'trace',
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: AUDIENCE,
      AUTH_JWKS_URL: keys.url,
      // Suites call far more often than a person; the limit has suites of its own.
      READ_RATE_LIMIT: '1000000',
      ...env,
    });
    const logLines: string[] = [];
    const log = new Log(settings.logLevel, { write: (line: string) => logLines.push(line) });
    const app = await createApp(settings, extensions, log).catch(async (error: unknown) => {
      await keys.close();
      throw error;
    });
    await app.listen(settings.port, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const service = new TestService(
      ownDatabase,
      app,
      port,
      keys,
      key,
      database === undefined,
      logLines,
    );
    const description = await service.send('GET', '/api/v1/openapi.json', undefined);
    service.#check = new AnswerCheck(JSON.parse(description.text) as never);
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A token of an assistant of this buyer; it needs a grant record to be good. */
  async tokenFor(
    buyerId: string,
    claims: Record<string, unknown> = {},
  ): Promise<{ token: string }> {
    return { token: await makeToken(this.key, buyerId, { claims }) };
  }

  /** Calls the service and checks the answer's form; the target is sent as it is. */
  async get<T = unknown>(
    target: string,
    credential: Credential,
    options: { readonly method?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<JsonAnswer<T>> {
    const method = options.method ?? 'GET';
    const answer = await this.send(method, target, credential, options.headers);
    if (credential && 'token' in credential) {
      this.#assistantAnswers.push(JSON.stringify(answer.headers) + answer.text);
    }
    this.#check?.check(method, target, answer);
    return { ...answer, body: (answer.text === '' ? undefined : JSON.parse(answer.text)) as T };
  }

  /** Adds what an assistant received in another way than by `get` to what is searched when the service stops. */
  watch(text: string): void {
    this.#assistantAnswers.push(text);
  }

  /** Calls the service and takes the answer as it comes. */
  send(
    method: string,
    path: string,
    credential: Credential,
    headers: Record<string, string> = {},
    body?: string | Buffer,
  ): Promise<Answer> {
    // What is shorter is no credential, and may be a word.
    for (const secret of Object.values<string>(credential ?? {}))
      if (secret.length >= 16) this.#credentials.add(secret);
    const signIn =
      credential === undefined
        ? {}
        : 'cookie' in credential
          ? { cookie: `__Host-session=${credential.cookie}` }
          : { authorization: `Bearer ${credential.token}` };
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          host: '127.0.0.1',
          port: this.port,
          method,
          path,
          agent: this.#agent,
          headers: { ...signIn, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Stops everything; fails when an assistant was ever answered, or the log ever told, what is secret. */
  async stop(): Promise<void> {
    const secrets = await secretsOf(this.database);
    const leaks = this.#assistantAnswers.flatMap((text) => leaksIn(text, secrets));
    this.#agent.destroy();
    await this.app.close();
    // A duration may read like a distance.
    const log = this.logLines.join('').replaceAll(/"durationMs":[\d.]+/g, '');
    leaks.push(
      ...leaksIn(log, [...secrets, ...this.#credentials]).map((leak) => `logged: ${leak}`),
    );
    await this.keyServer.close();
    if (this.ownsDatabase) await this.database.drop();
    expect(leaks).toEqual([]);
  }
}
