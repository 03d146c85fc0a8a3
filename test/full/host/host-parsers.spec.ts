import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { types } from 'pg';
import { load, ndjson, smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { runInProcess } from '../../setup/run-command.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const world = smallWorld();
/** Every type for which the driver has a parser of its own that the service could meet. */
const TYPES = [
  ...Object.values(types.builtins),
  ...[1000, 1005, 1007, 1009, 1015, 1016, 1022, 2951],
];
type Parse = (text: string) => unknown;
const setParser = types.setTypeParser as (type: number, parse: Parse) => void;
const parserOf = types.getTypeParser as (type: number) => Parse;

describe('a host application that changes the parsers of pg', () => {
  const parsers = new Map(TYPES.map((type) => [type, parserOf(type)]));
  let database: TestDatabase;
  let service: TestService;
  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, world.records);
    service = await TestService.start({ database });
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** Runs `work` while every value that the process parses is an unusable object. */
  async function withChangedParsers<T>(work: () => Promise<T>): Promise<T> {
    for (const type of TYPES) setParser(type, (text) => ({ text }));
    try {
      return await work();
    } finally {
      for (const [type, parse] of parsers) setParser(type, parse);
    }
  }

  async function responses(): Promise<string[]> {
    const texts: string[] = [];
    for (const credential of [world.session, await service.tokenFor(world.buyer.id)]) {
      for (const target of [LIST, `${LIST}?since=1970-01-01T00:00:00Z`, world.getPath]) {
        const { status, text } = await service.get(target, credential);
        texts.push(`${status} ${text}`);
      }
    }
    return texts;
  }

  it('gets the same responses', async () => {
    const before = await responses();
    expect(before.map((text) => text.slice(0, 4))).toEqual(before.map(() => '200 '));
    expect(await withChangedParsers(responses)).toEqual(before);
  });

  it('gets the same results of the commands', async () => {
    const directory = temporaryDirectory('parsers');
    const file = path.join(directory, 'world.ndjson');
    writeFileSync(file, ndjson(world.records));
    const copies = await Promise.all([0, 1].map(() => createTestDatabase()));
    const outputs = async ({ url }: TestDatabase): Promise<unknown[]> => {
      const results: unknown[] = [];
      for (const command of [
        ['import', file],
        ['approvals', '--buyer', world.buyer.id, '--json'],
        ['rebuild'],
        ['migrate', '--check'],
      ]) {
        const { exitCode, stdout } = await runInProcess(command, { env: { DATABASE_URL: url } });
        results.push([exitCode, stdout]);
      }
      return results;
    };
    try {
      const [usual, changed] = copies;
      const expected = await outputs(usual!);
      expect(expected).toEqual(expected.map((): unknown => [0, expect.any(String)]));
      expect(await withChangedParsers(() => outputs(changed!))).toEqual(expected);
    } finally {
      await Promise.all(copies.map((copy) => copy.drop()));
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
