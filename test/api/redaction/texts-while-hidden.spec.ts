import type { DealSetResult, NeedsYouItem } from '../../../src/deal-sets/dto/deal-set-result.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  insert,
  priceCheck,
  question,
  signIn,
  written,
} from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import type { Credential } from '../../setup/test-service.js';

const NAME = 'Honda of Fremont';
const WORDS = `This is Bob at ${NAME}, call +1 510 555 0100.`;
/** Whatever the writer clears is sent as it is, even what names the dealership. */
const CLEARED = `Bob of <b>${NAME}</b> &amp; \u202esons asks\n\t"when"?`;

let mcp: McpService;
// These tests write names into texts, which the leak scan would find in the session's responses of
// the same buyer, so the assistants' responses are searched here.
beforeAll(async () => {
  mcp = await McpService.start({ isWatched: false, env: { FEED_MARGIN_MS: '0' } });
});
afterAll(() => mcp.stop());

type Item = Readonly<Record<string, unknown>>;
interface Read {
  readonly items: readonly Item[];
  readonly text: string;
}

/** A buyer with a hidden row, and what each principal reads of its open items. */
async function hiddenRow(
  texts: {
    readonly text?: string;
    readonly textWhileHidden?: string;
    readonly body?: string;
    readonly bodyWhileHidden?: string;
  } = {},
) {
  const anna = buyer();
  const { record, cookie } = signIn(anna.id);
  const shop = dealership({ name: NAME });
  const set = dealSet({ buyerId: anna.id });
  const ids = { buyerId: anna.id, dealSetId: set.id, dealershipId: shop.id };
  const row = priceCheck({ ...ids, listing: {}, ...written(7) });
  const { text = WORDS, textWhileHidden, body = WORDS, bodyWhileHidden } = texts;
  const { database } = mcp.service;
  await insert(database, [
    ...[anna, record, grant({ buyerId: anna.id }), shop, set, row],
    question({ priceCheckId: row.id, text, textWhileHidden }),
    draft({ priceCheckId: row.id, body, bodyWhileHidden }),
  ]);
  const path = `${LIST}/${set.id}`;
  const read = async (credential: Credential): Promise<Read> => {
    const { status, body, text } = await mcp.service.get<{ data: DealSetResult }>(path, credential);
    expect(status).toBe(200);
    return { items: ofKinds(body.data.needsYou), text };
  };
  const readByTool = async (): Promise<Read> => {
    const token = await mcp.tokenFor(anna.id);
    const result = await mcp.tool('get_deal_set', { dealSetId: set.id }, token);
    const { data } = result.structuredContent as unknown as { data: DealSetResult };
    return { items: ofKinds(data.needsYou), text: JSON.stringify(result) };
  };
  const poll = async (since: string): Promise<{ asOf: string; count: number }> => {
    const { headers, body } = await mcp.service.get<{ data: unknown[] }>(`${LIST}?since=${since}`, {
      cookie,
    });
    return { asOf: String(headers['service-as-of']), count: body.data.length };
  };
  return {
    poll,
    bySession: () => read({ cookie }),
    byAssistant: async () => [await read(await mcp.service.tokenFor(anna.id)), await readByTool()],
    unlock: () =>
      database.query('UPDATE deal_sets.price_check SET unlocked_at = now() WHERE id = $1', [
        row.id,
      ]),
    change: (table: 'question' | 'draft', change: string, value?: string | null) =>
      database.query(
        `UPDATE deal_sets.${table} SET ${change} WHERE price_check_id = '${row.id}'`,
        value === undefined ? [] : [value],
      ),
  };
}

/** The question, then the draft. */
const ofKinds = (items: readonly NeedsYouItem[]): Item[] =>
  items
    .toSorted((a, b) => b.kind.localeCompare(a.kind))
    .map((item) =>
      item.kind === 'question'
        ? { question: item.question }
        : { preview: item.preview, previewComplete: item.previewComplete },
    );

const shownItems = (question: string | null, preview = question, previewComplete = false) => [
  { question },
  { preview, previewComplete },
];

describe('a question and a draft of a hidden row', () => {
  it('have no words without a text that their writer cleared', async () => {
    const { bySession } = await hiddenRow();
    const { items, text } = await bySession();
    expect(items).toEqual(shownItems(null));
    expect(text).not.toMatch(/Bob|Fremont|555/);
  });

  it('have exactly the cleared text, whatever it contains', async () => {
    const { bySession } = await hiddenRow({ textWhileHidden: CLEARED, bodyWhileHidden: CLEARED });
    expect((await bySession()).items).toEqual(shownItems(CLEARED));
  });

  it('have their words once the row is unlocked', async () => {
    const { bySession, unlock } = await hiddenRow({ textWhileHidden: 'When?' });
    expect((await bySession()).items).toEqual(shownItems('When?', null));
    await unlock();
    expect((await bySession()).items).toEqual(shownItems(WORDS, WORDS, true));
  });

  it('have no words and no cleared text for an assistant, hidden or unlocked, over REST and MCP', async () => {
    const { byAssistant, unlock } = await hiddenRow({
      textWhileHidden: CLEARED,
      bodyWhileHidden: CLEARED,
    });
    for (const step of [() => Promise.resolve(), unlock]) {
      await step();
      for (const { items, text } of await byAssistant()) {
        expect(items).toEqual(shownItems(null));
        expect(text).not.toMatch(/Bob|Fremont|555/);
      }
    }
  });

  it.each([
    ['is the whole draft', 'Is it there?', 'Is it there?', true],
    ['leaves out a part of the draft', 'Is it there, Bob?', 'Is it there?', false],
    ['is longer than a preview', 'x'.repeat(281), 'x'.repeat(281), false],
    ['is as long as a preview', 'x'.repeat(280), 'x'.repeat(280), true],
  ])(
    'have a complete preview exactly if the cleared text is the whole draft and fits: it %s',
    async (_what, body, bodyWhileHidden, previewComplete) => {
      const { bySession } = await hiddenRow({ body, bodyWhileHidden });
      const preview = bodyWhileHidden.slice(0, 280);
      expect((await bySession()).items[1]).toEqual({ preview, previewComplete });
    },
  );

  it('move their request when a text is cleared later, changed or withdrawn', async () => {
    const { bySession, poll, change } = await hiddenRow();
    let { asOf } = await poll('1970-01-01T00:00:00Z');
    const polled = async (): Promise<number> => {
      const page = await poll(asOf);
      ({ asOf } = page);
      return page.count;
    };
    expect(await polled()).toBe(0);
    await change('question', 'text_while_hidden = $1', 'When?');
    expect(await polled()).toBe(1);
    await change('draft', 'body_while_hidden = $1', 'At noon.');
    expect(await polled()).toBe(1);
    expect((await bySession()).items).toEqual(shownItems('When?', 'At noon.'));
    await change('question', 'text_while_hidden = $1', null);
    expect(await polled()).toBe(1);
    expect((await bySession()).items).toEqual(shownItems(null, 'At noon.'));
    await change('question', `text = 'other words'`);
    expect(await polled()).toBe(1);
    expect(await polled()).toBe(0);
  });

  it('move their request when the category, the answer mode or the prompt changes', async () => {
    const { poll, change } = await hiddenRow();
    let { asOf } = await poll('1970-01-01T00:00:00Z');
    for (const column of ['category', 'answer_mode', 'prompt_id']) {
      await change('question', `${column} = 'other'`);
      const page = await poll(asOf);
      expect([column, page.count]).toEqual([column, 1]);
      ({ asOf } = page);
    }
  });

  it.each(['text_while_hidden', 'body_while_hidden'])(
    'keep the database from a %s that is blank or too long',
    async (column) => {
      const { change } = await hiddenRow();
      const table = column.startsWith('text') ? 'question' : 'draft';
      for (const text of ['', ' \n', '\u200b', 'x'.repeat(100_001)]) {
        const written = change(table, `${column} = $1`, text);
        await expect(written).rejects.toMatchObject({ code: '23514' });
      }
    },
  );

  it('keep the role of assistants from reading a cleared text', async () => {
    const { database } = mcp.service;
    for (const [column, table] of [
      ['text_while_hidden', 'question'],
      ['body_while_hidden', 'draft'],
    ]) {
      const sql = `SELECT ${column} FROM deal_sets.${table}`;
      await database.query('SET ROLE deal_sets_reader');
      await database.query(sql);
      await database.query('RESET ROLE; SET ROLE deal_sets_assistant');
      await expect(database.query(sql)).rejects.toMatchObject({ code: '42501' });
      await database.query('RESET ROLE');
    }
  });
});
