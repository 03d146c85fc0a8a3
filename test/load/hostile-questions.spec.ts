import { Agent } from 'node:http';
import type { DealSetResult } from '../../src/deal-sets/dto/deal-set-result.js';
import {
  buyer,
  dealership,
  dealSet,
  load,
  priceCheck,
  question,
  signIn,
} from '../builders/index.js';
import { repeated } from '../setup/cost-growth.js';
import { call, cookie } from '../setup/http-call.js';
import { LIST } from '../setup/http-call.js';
import { startProcess, type RunningProcess } from '../setup/start-process.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

const CHARACTERS = 10_000;
const CALLERS = 4;
const CALLS = 40;
const ROUNDS = 4;
/** How many times longer the others may take beside hostile questions than beside harmless ones. */
const LARGEST_RATIO = 3;

/** The dealership's name, which once took a minute to look for behind its own beginning. */
const NAME = 'Smith Bros. &&& Sons';
const HOSTILE = [
  `Smith Bros. ${' '.repeat(CHARACTERS)}`,
  `Smith Bros. ${'& '.repeat(CHARACTERS)}`,
  `<a>${'⒈㏄/'.repeat(CHARACTERS / 6)}${'…'.repeat(CHARACTERS / 2)}`,
  ...[
    'smithbros',
    '&amp;',
    '&#49;',
    '1 ',
    '415 555 ',
    '1-',
    'a.',
    'a@',
    '@a ',
    'A',
    '1 Aaa ',
    '\ufdfa',
    '각',
  ].map((unit) => repeated(unit, CHARACTERS)),
].map((text) => text.slice(0, CHARACTERS));
const HARMLESS = HOSTILE.map(() =>
  repeated('Is the blue one with the tow package still what you want? ', CHARACTERS),
);

/** A buyer whose only row is hidden and has these open questions. */
function withQuestions(questions: readonly string[]) {
  const anna = buyer();
  const { record, cookie: value } = signIn(anna.id);
  const shop = dealership({ name: NAME });
  const set = dealSet({ buyerId: anna.id });
  const row = priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: shop.id });
  const open = questions.map((text) => question({ priceCheckId: row.id, text }));
  return {
    records: [anna, record, shop, set, row, ...open],
    path: `${LIST}/${set.id}`,
    cookie: value,
  };
}

describe('questions that are written to be slow to read', () => {
  const hostile = withQuestions(HOSTILE);
  const harmless = withQuestions(HARMLESS);
  const other = withQuestions(['Is it still there?']);
  const agent = new Agent({ keepAlive: true });
  let database: TestDatabase;
  let service: RunningProcess;

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [...hostile.records, ...harmless.records, ...other.records]);
    service = await startProcess({ DATABASE_URL: database.url, READ_RATE_LIMIT: '1000000' });
  });
  afterAll(async () => {
    agent.destroy();
    await service.stop();
    await database.drop();
  });

  /** Returns how long the request took, in milliseconds. */
  async function timed(target: string, session: string): Promise<number> {
    const startedAt = performance.now();
    const { status } = await call(service.port, target, { ...cookie(session), agent });
    expect(status).toBe(200);
    return performance.now() - startedAt;
  }

  /** How long the live check and another buyer's read take while these questions are read. */
  async function beside({ path, cookie: session }: typeof hostile): Promise<[number[], number[]]> {
    let left = CALLS;
    const callers = Array.from({ length: CALLERS }, async () => {
      for (; left > 0; left -= 1) await timed(path, session);
    });
    const live: number[] = [];
    const reads: number[] = [];
    while (left > 0) {
      live.push(await timed('/health/live', other.cookie));
      reads.push(await timed(other.path, other.cookie));
    }
    await Promise.all(callers);
    return [live, reads];
  }

  it('are masked', async () => {
    const response = await call(service.port, hostile.path, cookie(hostile.cookie));
    const { data } = JSON.parse(response.text) as { data: DealSetResult };
    expect(data.needsYou).toHaveLength(HOSTILE.length);
    expect(response.text).toContain('•••');
  });

  it('take no longer from the live check and another buyer than harmless ones', async () => {
    await beside(harmless);
    const times = { harmless: [[], []] as number[][], hostile: [[], []] as number[][] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [kind, questions] of [
        ['harmless', harmless],
        ['hostile', hostile],
      ] as const) {
        const measured = await beside(questions);
        measured.forEach((list, place) => times[kind][place]?.push(...list));
      }
    }
    for (const [place, what] of ['/health/live', 'another read'].entries()) {
      const [plain, slow] = [times.harmless, times.hostile].map((lists) => ({
        median: quantile(lists[place]!, 0.5),
        most: quantile(lists[place]!, 0.95),
      }));
      process.stdout.write(
        `hostile questions: ${what} median ${slow!.median.toFixed(1)} ms (harmless ` +
          `${plain!.median.toFixed(1)}), 95 % within ${slow!.most.toFixed(1)} (${plain!.most.toFixed(1)})\n`,
      );
      expect(slow!.median / plain!.median).toBeLessThan(LARGEST_RATIO);
    }
  });
});

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}
