import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type { DealSetEntry, ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import type { Row } from '../../../src/deal-sets/dto/row.js';
import { insert } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { TestService, type Credential, type JsonResponse } from '../../setup/test-service.js';
import { COLORS, MODELS, rowCombinationsWorld, TRIMS } from './row-combinations.js';

const world = rowCombinationsWorld();
let service: TestService;
let assistant: Credential;
let hosted: Credential;

beforeAll(async () => {
  service = await TestService.start();
  await insert(service.database, world.records);
  assistant = await service.tokenFor(world.anna.id);
  hosted = await service.tokenFor(world.anna.id, { client_id: 'hosted-1' });
});
// Every response that an assistant received here is searched for every secret of this world.
afterAll(() => service.stop());

type Body = Record<string, unknown>;
const read = async <T = Body>(target: string, credential: Credential): Promise<JsonResponse<T>> => {
  const response = await service.get<T>(target, credential);
  expect(response.status).toBe(200);
  return response;
};

/** All pages of a poll from the beginning, as targets that both principals may request. */
async function pages(): Promise<string[]> {
  const targets = [`${LIST}?since=1970-01-01T00:00:00Z`];
  for (;;) {
    const { headers } = await read(targets.at(-1)!, world.session);
    if (headers['service-more'] !== 'true') return targets;
    targets.push(`${LIST}?since=${String(headers['service-as-of'])}`);
  }
}

const alternatives = (list: readonly string[]): string => list.join('|');
/** The texts that a label may contain: the listings' own parts, in their order. */
const CAR = new RegExp(
  `^(?=.)((${alternatives(COLORS)})( |$|(?=,)))?((2023|2024)( |$|(?=,)))?((${alternatives(MODELS)})( |$|(?=,)))?((${alternatives(TRIMS)})( |$|(?=,)))?(,? ?(almost no miles|about [1-9][0-9,]*00 miles))?(,? ?listed at \\$[0-9,]+)?$`,
);
const isCarDescription = (label: string): boolean => {
  const car = label.replace(/^A question[^:]*: /, '');
  return car === '2026 Outback' || car === 'Car' || CAR.test(car);
};

const rowsOf = (result: DealSetResult): Row[] => [
  ...result.ranked.flatMap((group) => group.rows),
  ...(Object.values(result.everyoneElse) as Row[][]).flat(),
];

/** The leaves of a body by their paths; the kind of an entry or an item follows its index. */
function leavesOf(value: unknown, path = ''): [path: string, leaf: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  const { kind } = value as { kind?: string };
  const here = kind === undefined ? path : `${path}/${kind}`;
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, `${here}/${key}`));
}

const LABEL = /\/(label|heading|dealerLabel|chosenLabels\/\d+)$/;
/** The paths that differ for an assistant, without indexes of lists. */
const DIFFERS = [
  ...['trim', 'exteriorColor', 'interiorColor', 'drivetrain', 'powertrain'].flatMap((name) => [
    `car/${name}`,
    `deal_set/car/${name}`,
  ]),
  'search/buyerZip',
  'search/radiusMiles',
  'counts/total',
  'headerLine',
  'deal_set/buyerZip',
  'deal_set/dealerCount',
  'deal_set/lowestWrittenDistanceMiles',
  'deal_set/chosenLabels',
  'single/dealerLabel',
  ...['label', 'distanceMiles', 'distanceBand'].map((name) => `row/${name}`),
  ...['label', 'distanceMiles', 'distanceBand'].map((name) => `hero/${name}`),
  ...['label', 'heading', 'question'].map((name) => `question/${name}`),
  ...['label', 'preview', 'previewComplete'].map((name) => `draft/${name}`),
];

describe('the responses to an assistant', () => {
  it('differ from the buyer’s in what the contract withholds and describes, and in nothing else', async () => {
    const differing = new Set<string>();
    const targets = [LIST, ...(await pages()), ...world.sets.map(({ id }) => `${LIST}/${id}`)];
    for (const target of targets) {
      const buyers = new Map(leavesOf((await read(target, world.session)).body));
      for (const credential of [assistant, hosted]) {
        const seen = new Map(
          leavesOf((await read(target, credential)).body).filter(
            ([path]) => !path.includes('/changes/'),
          ),
        );
        const expected = [...buyers.keys()].filter(
          (path) => credential === assistant || !path.endsWith('/isVerifiedPartner'),
        );
        expect([...seen.keys()]).toEqual(expected);
        for (const [path, value] of seen) {
          if (LABEL.test(path)) {
            expect([path, value, value === null || isCarDescription(value as string)]).toEqual([
              path,
              value,
              true,
            ]);
          } else if (value !== buyers.get(path)) {
            expect([path, value]).toEqual([path, path.endsWith('Complete') ? false : null]);
          }
          if (value !== buyers.get(path)) differing.add(path);
        }
      }
    }
    const names = [...differing].map((path) =>
      path
        .replaceAll(/\/\d+/g, '')
        .replace(/\/(ranked\/rows|everyoneElse\/\w+)\//, '/row/')
        .replace(/^\/data\/(needsYou\/)?/, ''),
    );
    expect([...new Set(names)].sort()).toEqual(DIFFERS.toSorted());
  });
});

describe('the buyer’s own session', () => {
  const resultFor = async (credential: Credential): Promise<Row[]> =>
    rowsOf((await read<{ data: DealSetResult }>(`${LIST}/${world.full.id}`, credential)).body.data);
  const records = new Map(world.rows.map((row) => [row.id, row]));

  it('receives no name, contact, listing address, VIN or image of a hidden row, and the start of its distance band', async () => {
    const hidden = (await resultFor(world.session)).filter((row) => row.hidden);
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
      expect(row.distanceMiles).toBe(row.distanceBand && bands[row.distanceBand]);
      expect(row.distanceBand === null).toBe(records.get(row.rowKey)!.distanceMiles === null);
    }
  });

  it('receives names and exact distances once a dealership is unlocked or chosen', async () => {
    const open = (await resultFor(world.session)).filter((row) => !row.hidden);
    expect(open.length).toBe(48);
    for (const { rowKey, label, distanceMiles } of open) {
      const record = records.get(rowKey)!;
      expect([label, distanceMiles]).toEqual([world.nameOf(record), record.distanceMiles]);
    }
    const { data } = (await read<{ data: ListEntry[] }>(LIST, world.session)).body;
    const entry = data.find(
      (candidate) => candidate.kind === 'deal_set' && candidate.dealSetId === world.full.id,
    );
    expect([...(entry as DealSetEntry).chosenLabels].sort()).toEqual(
      world.rows
        .filter((row) => row.chosenAt)
        .map(world.nameOf)
        .sort(),
    );
  });

  it('receives the name on a single request only once the buyer has seen it, and never its VIN and addresses', async () => {
    const singles = new Map(world.singles.map((row) => [row.id, row]));
    let seen = 0;
    for (const target of await pages()) {
      const { body, text } = await read<{ data: ListEntry[] }>(target, world.session);
      expect(text).not.toMatch(/VINQ|zyxauto|555-01/);
      for (const entry of body.data) {
        const record = entry.kind === 'single' ? singles.get(entry.id) : undefined;
        if (!record || entry.kind !== 'single') continue;
        const isSeen = record.unlockedAt !== undefined || record.chosenAt !== undefined;
        expect(entry.dealerLabel).toBe(isSeen ? world.nameOf(record) : null);
        seen += 1;
      }
    }
    expect(seen).toBe(world.singles.length);
  });
});
