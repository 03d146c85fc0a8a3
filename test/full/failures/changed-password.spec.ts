import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runInProcess } from '../../setup/run-command.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { expectEveryResponse, WorldWithProxy } from '../../setup/world-with-proxy.js';

describe('passwords that change while the service runs', () => {
  let database: TestDatabase;
  let directory: string;
  let world: WorldWithProxy;

  beforeEach(async () => {
    database = await createTestDatabase();
    directory = temporaryDirectory('passwords');
  });

  afterEach(async () => {
    await world.stop();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  const fileOf = (login: string): string => path.join(directory, login);

  function addressOf(login: string): string {
    return Object.assign(new URL(database.url), { username: login, password: '' }).href;
  }

  async function createLogin(kind: string, rights: string): Promise<string> {
    const login = `${kind}_${database.name}`;
    await database.query(`CREATE ROLE ${login} LOGIN ${rights}`);
    await setPassword(login, 'first');
    return login;
  }

  async function setPassword(login: string, password: string): Promise<void> {
    await database.query(`ALTER ROLE ${login} PASSWORD '${password}'`);
    writeFileSync(fileOf(login), `${password}\n`);
  }

  /** Ends the connections of the logins, so that the next requests make new ones. */
  async function killConnections(logins: readonly string[]): Promise<void> {
    const killed = await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ANY($1)',
      [logins],
    );
    expect(killed).not.toHaveLength(0);
  }

  it("uses a changed password of the primary's login", async () => {
    const login = await createLogin('owner', 'SUPERUSER');
    const env = { DATABASE_URL: addressOf(login), DATABASE_PASSWORD_FILE: fileOf(login) };
    world = await WorldWithProxy.open({ database, env });
    expectEveryResponse(await world.callEveryEndpoint(), 200);

    await setPassword(login, 'second');
    await killConnections([login]);
    await world.recover();
    expectEveryResponse(await world.callEveryEndpoint(3), 200);

    const { exitCode } = await runInProcess(['migrate', '--check'], { env });
    expect(exitCode).toBe(0);
    await database.query(`DROP OWNED BY ${login}; DROP ROLE ${login}`);
  });

  it('uses changed passwords of the logins that read, on the primary and on a replica', async () => {
    const reader = await createLogin('reader', 'IN ROLE deal_sets_reader');
    const assistant = await createLogin('assistant', 'IN ROLE deal_sets_assistant');
    world = await WorldWithProxy.open({
      database,
      env: {
        DATABASE_READER_URL: addressOf(reader),
        DATABASE_READER_PASSWORD_FILE: fileOf(reader),
        DATABASE_ASSISTANT_URL: addressOf(assistant),
        DATABASE_ASSISTANT_PASSWORD_FILE: fileOf(assistant),
        DATABASE_REPLICA_URL: addressOf('unused'),
      },
    });
    expectEveryResponse(await world.callEveryEndpoint(), 200);

    await setPassword(reader, 'second');
    await setPassword(assistant, 'third');
    await killConnections([reader, assistant]);
    await world.recover();
    expectEveryResponse(await world.callEveryEndpoint(3), 200);
    await database.query(`DROP ROLE ${reader}, ${assistant}`).catch(() => undefined);
  });
});
