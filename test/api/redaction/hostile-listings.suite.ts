import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const SHORT = 2_500;
const LONG = 40_000;

/**
 * A cost that grows with the length of the text grows 16-fold, one that grows with its square
 * 256-fold. The limit lies in the middle, because the processor time of a statement varies a few
 * times on a busy machine.
 */
const MAX_GROWTH = 64;

/**
 * The processor time of a statement, as PostgreSQL reports it. Systems divide it into user and
 * system time by samples, so that only their sum is exact.
 */
const PROCESSOR_SECONDS = /([\d.]+) s user, ([\d.]+) s system/;

/** What takes less is not measured further, in seconds. */
const NEGLIGIBLE = 0.003;

describe('the cost of checking a listing', () => {
  let database: TestDatabase;
  let seconds = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    database.client.on('notice', ({ detail }) => {
      const [, user, system] = PROCESSOR_SECONDS.exec(detail ?? '') ?? [];
      seconds = Number(user) + Number(system);
    });
    await database.query(`SET client_min_messages = 'log'; SET log_executor_stats = on`);
  });
  afterAll(() => database.drop());

  /** Returns how many times the processor time grows from a short to a long text. */
  async function growth(expression: string, repeated: string): Promise<number> {
    const cost = async (length: number): Promise<number> => {
      const text = repeated.repeat(length).slice(0, length);
      await database.query(`SELECT count(${expression}) FROM generate_series(1, 3) i`, [text]);
      return seconds;
    };
    // The first call on a connection also compiles the function.
    await cost(1);
    return (await cost(LONG)) / Math.max(await cost(SHORT), NEGLIGIBLE);
  }

  it.each([
    'A & ',
    'A &&& B',
    'and ',
    ' ',
    '.',
    '(',
    ' - #',
    'the ',
    'inc ',
    'inc and ',
    ', co',
    'dba ',
    'd/b/a The Inc & Co ',
    'Ж',
    'é\u0302',
    '\u00ad',
    '\ufb03',
  ])('grows no faster than the name of the dealership: %j', async (repeated) => {
    expect(await growth('deal_sets.name_keys($1 || i)', repeated)).toBeLessThan(MAX_GROWTH);
  });

  it.each(['- ', 'a.', 'a.Bc', '1 1 ', '415 555 ', 'a1', 'CA ', 'e\u0301\u0302', 'A ', 'lake '])(
    'grows no faster than the parts: %j',
    async (repeated) => {
      const checks = [
        `deal_sets.shown_parts(2026, 'Honda', $1, $1, $1 || i, '{lakesidemotors}')`,
        `deal_sets.identifies_dealership($1, '2026', $1, $1 || i, '{lakesidemotors}')`,
        'deal_sets.has_shape_of_car_words($1 || i)',
      ];
      for (const check of checks) {
        expect(await growth(check, repeated)).toBeLessThan(MAX_GROWTH);
      }
    },
  );
});
