import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type {
  DealSetEntry,
  ListEntry,
  SingleEntry,
} from '../../../src/deal-sets/dto/list-entry.js';
import type { Row } from '../../../src/deal-sets/dto/row.js';
import { RESPONSES, DealSetResponse, ListResponse } from '../../../src/deal-sets/dto/responses.js';
import { shapeOf } from '../../../src/redaction/shape-of.js';
import { fieldPath, reachableShapes } from '../../../src/redaction/walk.js';
import { load } from '../../builders/index.js';
import { TestService, type Credential, type JsonAnswer } from '../../setup/test-service.js';
import { compare, newComparison } from './declared-form.js';
import { COLORS, MODELS, rowCombinationsWorld, TRIMS } from './row-combinations.js';

const world = rowCombinationsWorld();
let service: TestService;
let assistant: Credential;
let hosted: Credential;

beforeAll(async () => {
  service = await TestService.start();
  await load(service.database, world.records);
  assistant = await service.tokenFor(world.anna.id);
  hosted = await service.tokenFor(world.anna.id, { client_id: 'hosted-1' });
});
// Every answer that an assistant was given here is searched for every secret of this world.
afterAll(() => service.stop());

const LIST = '/api/v1/deal-sets';
type Body = Record<string, unknown>;
const read = async <T = Body>(target: string, who: Credential): Promise<JsonAnswer<T>> => {
  const answer = await service.get<T>(target, who);
  expect(answer.status).toBe(200);
  return answer;
};

/** All pages of a poll from the beginning, as targets that both may be asked. */
async function pages(): Promise<string[]> {
  const targets = [`${LIST}?since=1970-01-01T00:00:00Z`];
  for (;;) {
    const { headers } = await read(targets.at(-1)!, world.session);
    if (headers['service-more'] !== 'true') return targets;
    targets.push(`${LIST}?since=${String(headers['service-as-of'])}`);
  }
}

const part = (list: readonly string[]): string => list.join('|');
/** What a label may contain: the listings' own parts, in their order. */
const CAR = new RegExp(
  `^(?=.)((${part(COLORS)})( |$|(?=,)))?((2023|2024)( |$|(?=,)))?((${part(MODELS)})( |$|(?=,)))?((${part(TRIMS)})( |$|(?=,)))?(,? ?(almost no miles|about [1-9][0-9,]*00 miles))?(,? ?listed at \\$[0-9,]+)?$`,
);
const isCarDescription = (label: string): boolean => {
  const car = label.replace(/^A question[^:]*: /, '');
  return car === '2026 Outback' || car === 'Car' || CAR.test(car);
};

const rowsOf = (result: DealSetResult): Row[] => [
  ...result.ranked.flatMap((group) => group.rows),
  ...(Object.values(result.everyoneElse) as Row[][]).flat(),
];

describe('field by field, as each is declared', () => {
  it('an assistant gets what the declarations say, on every call and for every combination of a row', async () => {
    const whole = newComparison();
    const targets: (readonly [typeof ListResponse | typeof DealSetResponse, string])[] = [
      [ListResponse, LIST],
      ...(await pages()).map((target) => [ListResponse, target] as const),
      ...world.sets.map((set) => [DealSetResponse, `${LIST}/${set.id}`] as const),
    ];
    for (const [dto, target] of targets) {
      const shape = shapeOf(dto);
      const buyers = await read(target, world.session);
      compare(
        shape,
        buyers.body,
        (await read(target, assistant)).body,
        false,
        isCarDescription,
        whole,
      );
      compare(shape, buyers.body, (await read(target, hosted)).body, true, isCarDescription, whole);
    }
    expect(whole.problems).toEqual([]);

    // Every declared field was there to be compared, but for what only an assistant's poll has.
    const declared = reachableShapes(RESPONSES.map(shapeOf)).flatMap((shape) =>
      Object.entries(shape.fields).map(([name, field]) => ({
        path: fieldPath(shape, name),
        field,
      })),
    );
    const ofPolls =
      /^(DealSetEntry|SingleEntry)\.changes$|^(Changes|NoReplies|NewReplies|UncheckedReplies)\./;
    const missed = declared.filter(({ path }) => !whole.compared.has(path) && !ofPolls.test(path));
    expect(missed.map(({ path }) => path)).toEqual([]);
    // And every field that is withheld or described held something else for the buyer at least once.
    const untested = declared.filter(
      ({ path, field }) => field.forms.assistant !== 'same' && !whole.differing.has(path),
    );
    expect(untested.map(({ path }) => path)).toEqual([]);
  });

  it('the fields that the contract withholds are the ones that are declared so', () => {
    const withheld = reachableShapes(RESPONSES.map(shapeOf)).flatMap((shape) =>
      Object.entries(shape.fields)
        .filter(([, field]) => field.forms.assistant !== 'same')
        .map(([name, field]) => `${fieldPath(shape, name)} ${field.forms.assistant}`),
    );
    expect(withheld.sort()).toEqual(
      [
        ...['trim', 'exteriorColor', 'interiorColor', 'drivetrain', 'powertrain'].map(
          (name) => `RequestedCar.${name} null`,
        ),
        'Search.buyerZip null',
        'Search.radiusMiles null',
        'Counts.total null',
        'DealSetResult.headerLine null',
        'DealSetEntry.buyerZip null',
        'DealSetEntry.dealerCount null',
        'DealSetEntry.lowestWrittenDistanceMiles null',
        'DealSetEntry.chosenLabels described',
        'SingleEntry.dealerLabel described',
        'Row.label described',
        'Row.distanceMiles null',
        'Row.distanceBand null',
        'Row.isVerifiedPartner unless-hosted',
        'Hero.label described',
        'Hero.distanceMiles null',
        'Hero.distanceBand null',
        'QuestionItem.label described',
        'QuestionItem.heading described',
        'QuestionItem.question null',
        'DraftItem.label described',
        'DraftItem.preview null',
        'DraftItem.previewComplete false',
      ].sort(),
    );
  });
});

describe('what an assistant gets', () => {
  it('has null where something is withheld, never a missing field', async () => {
    const { text } = await read(`${LIST}/${world.full.id}`, assistant);
    for (const field of [
      '"buyerZip":null',
      '"radiusMiles":null',
      '"total":null',
      '"headerLine":null',
      '"question":null',
      '"preview":null',
      '"previewComplete":false',
    ]) {
      expect(text).toContain(field);
    }
    expect(text).not.toMatch(
      /"(distanceMiles|distanceBand|headerLine|total|question|preview)":[^n]/,
    );
  });

  it('holds no dealership’s name and none of her words, also when it was chosen, anywhere in the raw answers', async () => {
    for (const who of [assistant, hosted]) {
      for (const target of [
        LIST,
        ...(await pages()),
        ...world.sets.map((set) => `${LIST}/${set.id}`),
      ]) {
        const { text, headers } = await read(target, who);
        expect(JSON.stringify(headers) + text).not.toMatch(
          /Qorvath|Zyx|Vexley|Wyvern|Jaxxon|VINQ|zyxauto|Wish/i,
        );
      }
    }
  });

  it('releases list price and trim of the listing, and the car of a single request', async () => {
    const { body } = await read<{ data: DealSetResult }>(`${LIST}/${world.full.id}`, assistant);
    const rows = new Map(rowsOf(body.data).map((row) => [row.rowKey, row]));
    for (const { id, listing } of world.rows) {
      expect(rows.get(id)).toMatchObject({
        listedAtCents: listing.listedAtCents ?? null,
        quotedTrim: listing.trim ?? null,
      });
    }
    expect(new Set(body.data.ranked.map((group) => group.trim))).toEqual(new Set([...TRIMS, null]));
    expect(body.data.hero?.trim).toBe(body.data.ranked[0]?.trim);
    const { data } = (await read<{ data: ListEntry[] }>(LIST, assistant)).body;
    const singles = data.filter((entry): entry is SingleEntry => entry.kind === 'single');
    expect(singles.length).toBeGreaterThan(10);
    for (const single of singles) {
      const listing = world.singles.find(({ id }) => id === single.id)?.listing;
      expect(single.car.trim).toBe(listing?.trim ?? null);
    }
  });

  it('labels a row by the parts that are known, and by the car that was asked for when none is', async () => {
    const { body } = await read<{ data: DealSetResult }>(`${LIST}/${world.full.id}`, assistant);
    const rows = new Map(rowsOf(body.data).map((row) => [row.rowKey, row.label]));
    for (const { id, listing, answer } of world.rows) {
      const { exteriorColor, year, model, trim, mileage, listedAtCents } = listing;
      const miles =
        mileage === undefined || mileage === null
          ? undefined
          : mileage < 50
            ? 'almost no miles'
            : 'about 12,300 miles';
      const car = [exteriorColor, year, model, trim].filter((word) => word !== undefined).join(' ');
      const parts = [car, miles, listedAtCents ? 'listed at $30,999' : undefined].filter(Boolean);
      expect(rows.get(id)).toBe(
        parts.join(', ') || (answer === 'different_car' ? 'Car' : '2026 Outback'),
      );
    }
  });
});

describe('the buyer’s own session', () => {
  it('gets no name, contact, listing address, VIN or image of a hidden row, and its distance as a band begins', async () => {
    const { body } = await read<{ data: DealSetResult }>(`${LIST}/${world.full.id}`, world.session);
    const hidden = rowsOf(body.data).filter((row) => row.hidden);
    expect(hidden.length).toBe(16);
    const bands = {
      'Under 10 miles': 0,
      '10 to 25 miles': 10,
      '25 to 50 miles': 25,
      '50 to 100 miles': 50,
      'Over 100 miles': 100,
    };
    for (const row of hidden) {
      expect(JSON.stringify(row)).not.toMatch(
        /Qorvath|Zyx|Vexley|Wyvern|Jaxxon|VINQ|zyxauto|555-01/i,
      );
      expect(isCarDescription(row.label)).toBe(true);
      expect(row.priceCheckHref).toBeNull();
      expect(row.distanceMiles).toBe(row.distanceBand === null ? null : bands[row.distanceBand]);
      expect(row.distanceBand === null).toBe(world.distances.get(row.rowKey) === null);
    }
  });

  it('gets names and exact distances once a dealership is unlocked or chosen', async () => {
    const { body } = await read<{ data: DealSetResult }>(`${LIST}/${world.full.id}`, world.session);
    const open = rowsOf(body.data).filter((row) => !row.hidden);
    expect(open.length).toBe(48);
    for (const row of open) {
      expect(row.label).toBe(world.names.get(row.rowKey));
      expect(row.distanceMiles).toBe(world.distances.get(row.rowKey));
    }
    const { data } = (await read<{ data: ListEntry[] }>(LIST, world.session)).body;
    const entry = data.find(
      (candidate): candidate is DealSetEntry =>
        candidate.kind === 'deal_set' && candidate.dealSetId === world.full.id,
    );
    expect([...(entry?.chosenLabels ?? [])].sort()).toEqual(
      world.rows
        .filter((row) => row.chosenAt)
        .map((row) => world.names.get(row.id))
        .sort(),
    );
  });

  it('gets the name on a single request only once she has seen it, and its VIN and addresses never', async () => {
    for (const target of await pages()) {
      const { body, text } = await read<{ data: ListEntry[] }>(target, world.session);
      expect(text).not.toMatch(/VINQ|zyxauto|555-01/);
      for (const entry of body.data) {
        if (entry.kind !== 'single') continue;
        const single = world.singles.find(({ id }) => id === entry.id);
        const isSeen = single?.unlockedAt !== undefined || single?.chosenAt !== undefined;
        expect(entry.dealerLabel).toBe(isSeen ? world.names.get(entry.id) : null);
      }
    }
  });
});
