import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PrincipalType, RedactionRule } from '../../../src/index.js';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  load,
  priceCheck,
  signIn,
} from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import type { Credential } from '../../setup/test-service.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const GUIDE = readFileSync(path.join(__dirname, '../../../docs/extending.md'), 'utf8');

/** Returns the names that a member of the guide's rule lists. */
function documented(member: 'facts' | 'fields'): string[] {
  const example = /```ts\n\/\/ src\/redaction-rules\.ts\n([^]*?)```/.exec(GUIDE)?.[1] ?? '';
  const list = new RegExp(`${member}: \\[([^\\]]*)\\]`).exec(example)?.[1] ?? '';
  return Array.from(list.matchAll(/'([^']+)'/g), ([, name = '']) => name);
}

/** The rule of the guide, for callers of one type. */
const ruleFor = (type: PrincipalType) =>
  ({
    facts: documented('facts'),
    fields: documented('fields'),
    from: (principal) => principal.type === type,
  }) as RedactionRule;

/** The hero’s difference of the out-the-door price and the selling price. */
const TAXES_AND_FEES_CENTS = 313_377;

const anna = buyer();
const { record: session, cookie } = signIn(anna.id);
const approved = grant({ buyerId: anna.id });
const set = dealSet({ buyerId: anna.id });

/** Returns a price check with prices that no other price check has. */
function priced(otdCents: number, values: object = {}) {
  const seller = dealership();
  const sellingPriceCents = otdCents - TAXES_AND_FEES_CENTS;
  const listedAtCents = otdCents - 1_234_500;
  const check = priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: seller.id,
    listing: { year: 2025, make: 'Honda', model: 'CR-V', trim: 'EX-L', listedAtCents },
    answer: 'same_car',
    price: { otdCents, sellingPriceCents, writtenAt: '2026-01-03T00:00:00Z' },
    ...values,
  });
  return { records: [seller, check], sellingPriceCents, listedAtCents };
}

const lowest = priced(4_111_777, {
  unlockedAt: '2026-01-04T00:00:00Z',
  chosenAt: '2026-01-05T00:00:00Z',
});
const rows = [
  lowest,
  priced(4_222_888, { unlockedAt: '2026-01-05T00:00:00Z' }),
  priced(4_333_999),
  priced(4_444_111, { answer: 'different_car' }),
  priced(4_555_222, { ended: 'sold' }),
  priced(4_666_333, { archivedAt: '2026-01-06T00:00:00Z' }),
];
/** Without a written price, so that only its list price is in a response. */
const waiting = priced(4_777_444, { answer: null, price: null });
/** The list shows only the lowest price of this request, and no selling price and list price. */
const single = priced(4_888_555, { dealSetId: null });

/** Every number that the rule hides, in US cents. */
const hiddenCents = [
  TAXES_AND_FEES_CENTS,
  ...[...rows, waiting, single].flatMap(({ sellingPriceCents, listedAtCents }) => [
    sellingPriceCents,
    listedAtCents,
  ]),
];
/** Those that the buyer and an assistant get without the rule. */
const shownCents = [
  TAXES_AND_FEES_CENTS,
  waiting.listedAtCents,
  ...rows.flatMap(({ sellingPriceCents, listedAtCents }) => [sellingPriceCents, listedAtCents]),
];

/** Returns the amounts that a text contains as cents or as dollars, with or without commas. */
function amountsIn(text: string, amounts: readonly number[]): number[] {
  return amounts.filter((cents) => {
    const dollars = [cents / 100, Math.floor(cents / 100), Math.round(cents / 100)];
    const notations = [cents, ...dollars].flatMap((n) => [String(n), n.toLocaleString('en-US')]);
    return notations.some((amount) =>
      new RegExp(`(?<![\\w.,-])${amount.replace('.', '\\.')}(?![\\w-])`).test(text),
    );
  });
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const records = [
    anna,
    session,
    approved,
    set,
    ...[...rows, waiting, single].flatMap(({ records: own }) => own),
  ];
  await load(database, records);
});
afterAll(() => database.drop());

/** Everything that each caller can read. */
interface Read {
  readonly session: string;
  readonly assistant: string;
  readonly mcp: string;
}

async function readWith(redactionRules: readonly RedactionRule[]): Promise<Read> {
  const mcp = await McpService.start({ database, hostOptions: { redactionRules } });
  try {
    const targets = [LIST, `${LIST}?since=1970-01-01T00:00:00Z`, `${LIST}/${set.id}`];
    const overRest = async (credential: Credential): Promise<string> => {
      const texts: string[] = [];
      for (const target of targets) {
        const { status, text } = await mcp.service.get(target, credential);
        expect(status).toBe(200);
        texts.push(text);
      }
      return texts.join('\n');
    };
    const token = await mcp.tokenFor(anna.id);
    const results = [
      await mcp.tool('list_price_requests', {}, token),
      await mcp.tool('list_price_requests', { since: '1970-01-01T00:00:00Z' }, token),
      await mcp.tool('get_deal_set', { dealSetId: set.id }, token),
    ];
    for (const result of results) expect(result).not.toHaveProperty('isError', true);
    return {
      session: await overRest({ cookie }),
      assistant: await overRest(await mcp.service.tokenFor(anna.id)),
      mcp: JSON.stringify(results),
    };
  } finally {
    await mcp.stop();
  }
}

describe('the rule of the guide that hides a price', () => {
  it('names facts and fields', () => {
    expect(documented('facts')).toEqual(['listedAtCents']);
    expect(documented('fields').length).toBeGreaterThan(1);
  });

  it('leaves no number of the price to an assistant, over REST and MCP', async () => {
    const read = await readWith([ruleFor('assistant')]);
    expect(amountsIn(read.assistant, hiddenCents)).toEqual([]);
    expect(amountsIn(read.mcp, hiddenCents)).toEqual([]);
    // The buyer still gets every number.
    expect(amountsIn(read.session, shownCents)).toEqual(shownCents);
  });

  it('leaves no number of the price to the buyer’s session', async () => {
    const read = await readWith([ruleFor('session')]);
    expect(amountsIn(read.session, hiddenCents)).toEqual([]);
    // Assistants still get every number.
    expect(amountsIn(read.assistant, shownCents)).toEqual(shownCents);
    expect(amountsIn(read.mcp, shownCents)).toEqual(shownCents);
  });
});
