import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database.js';
import { freePort } from '../../embedded-postgres/src/free-port.js';
import { startDemo, type DemoOptions, type RunningDemo } from '../src/start-demo.js';
import { CookieClient } from './cookie-client.js';

/** The whole demo in this process, on a database of its own. */
export class DemoService {
  private constructor(
    readonly demo: RunningDemo,
    readonly database: TestDatabase,
  ) {}

  static async start(options: DemoOptions = {}): Promise<DemoService> {
    const database = await createTestDatabase();
    const env = {
      PORT: String(await freePort()),
      DATABASE_URL: 'postgres://another.example/live',
      // Tests call far more often than a person.
      READ_RATE_LIMIT: '1000000',
    };
    const demo = await startDemo(env, { databaseUrl: database.url, ...options });
    return new DemoService(demo, database);
  }

  get url(): string {
    return this.demo.publicUrl;
  }

  cookieClient(): CookieClient {
    return new CookieClient(this.url);
  }

  /** Status of a call with the token, of the list by default. */
  async statusOf(token: string, target = '/api/v1/deal-sets', method = 'GET'): Promise<number> {
    const { status } = await fetch(this.url + target, {
      method,
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
    });
    return status;
  }

  async stop(): Promise<void> {
    await this.demo.service.stop();
    await this.database.drop();
  }
}
