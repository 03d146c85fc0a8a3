import { ImportRefused } from '../../src/import/problems.js';
import { buyer, dealership, dealSet, load, priceCheck, question } from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

const REASON =
  'contains a name, telephone number or e-mail address of a dealership of the request; assistants read it';

describe('the tokens of a question', () => {
  let database: TestDatabase;
  const anna = buyer();
  const fremont = dealership({
    name: 'Honda of Fremont',
    phone: '+1 (510) 555-0100',
    email: 'sales@fremont.example',
  });
  const other = dealership({ name: 'Lakeside Motors' });
  const set = dealSet({ buyerId: anna.id });
  const row = priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: fremont.id });
  const sibling = priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: fremont.id });
  const single = priceCheck({ buyerId: anna.id, dealershipId: other.id });

  beforeEach(async () => {
    database = await createTestDatabase();
    await load(database, [anna, fremont, other, set, row, sibling, single]);
  });
  afterEach(() => database.drop());

  async function refusal(records: readonly object[]): Promise<string> {
    const problem: unknown = await load(database, records).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(ImportRefused);
    return (problem as ImportRefused).message;
  }

  it.each([
    ['a name', { category: 'ask.Honda-of-Fremont' }, 'category'],
    ['a telephone number', { promptId: 'call-510-555-0100' }, 'promptId'],
    ['an e-mail address', { answerMode: 'sales_fremont.example' }, 'answerMode'],
  ])('are refused by the import with %s', async (_what, keys, key) => {
    const tokens = question({ priceCheckId: sibling.id, ...keys });
    expect(await refusal([question({ priceCheckId: row.id }), tokens])).toBe(
      `line 2: question.${key}: ${REASON}`,
    );
    expect(await database.query('SELECT FROM question')).toEqual([]);
  });

  it('are compared with dealerships of the file too, under the names it gives them', async () => {
    const category = 'bay-subaru-of-dayton';
    const asked = question({ priceCheckId: row.id, category });
    await load(database, [asked], { isDryRun: true });
    const bay = dealership({ name: 'Bay Subaru of Dayton' });
    const member = priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: bay.id });
    expect(await refusal([asked, bay, member])).toBe(`line 1: question.category: ${REASON}`);
    expect(await refusal([asked, { ...fremont, name: 'Bay Subaru of Dayton' }])).toBe(
      `line 1: question.category: ${REASON}`,
    );
  });

  it('may carry names of other requests, parts of a name, and words that look similar', async () => {
    await load(database, [
      question({ priceCheckId: single.id, category: 'honda-of-fremont' }),
      question({ priceCheckId: row.id, category: 'lakeside-motors', promptId: 'honda-of' }),
      question({ priceCheckId: row.id, category: 'availability', promptId: 'fremont-honda-0001' }),
    ]);
  });

  it('stay acceptable when a dealership is renamed later', async () => {
    const asked = question({ priceCheckId: row.id, category: 'bay-subaru-of-dayton' });
    await load(database, [asked]);
    await load(database, [{ ...fremont, name: 'Bay Subaru of Dayton' }]);
    expect(await load(database, [asked])).toMatchObject({ added: 0, changed: 0 });
    await load(database, [{ ...asked, answeredAt: '2026-01-05T00:00:00Z' }]);
    expect(await refusal([{ ...asked, answerMode: 'choice' }])).toBe(
      `line 1: question.category: ${REASON}`,
    );
  });

  it('are refused by the database, for every writer, without the name', async () => {
    const insert = (category: string): Promise<object[]> =>
      database.query(
        `INSERT INTO question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
         VALUES ($1, gen_random_uuid(), $2, $3, 'words', 'text', now()) RETURNING id`,
        [anna.id, row.id, category],
      );
    const expected = expect.objectContaining({
      code: '23514',
      message:
        'question.category contains a name, telephone number or e-mail address of a dealership of its request',
    }) as unknown;
    await expect(insert('x_honda.of.fremont_y')).rejects.toEqual(expected);
    const [asked] = await insert('availability');
    await expect(
      database.query(`UPDATE question SET prompt_id = 'tel:5105550100' WHERE id = $1`, [
        (asked as { id: string }).id,
      ]),
    ).rejects.toMatchObject({ code: '23514', column: 'prompt_id' });
    await database.query(`UPDATE question SET prompt_id = 'tel:5105550199'`);
  });

  it('are found among many dealerships and many questions of one request', async () => {
    const size = 400;
    const shops = Array.from({ length: size }, (_, n) =>
      dealership({ name: `Motors number ${n} of Ohio`, phone: `937${5_550_000 + n}` }),
    );
    const rows = shops.map(({ id }) =>
      priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: id, listing: {} }),
    );
    const asked = rows.map(({ id }, n) =>
      question({ priceCheckId: id, promptId: `prompt-of-the-question-number-${n}`, category: 'x' }),
    );
    await load(database, [...shops, ...rows]);
    await load(database, asked);
    expect(await refusal([{ ...asked[7], promptId: 'motors-number-399-of-ohio' }])).toBe(
      `line 1: question.promptId: ${REASON}`,
    );
  });
});
