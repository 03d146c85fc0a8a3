import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type { Row } from '../../../src/deal-sets/dto/row.js';
import { dealSet, draft, load, priceCheck, question, written } from '../../builders/index.js';
import { TestService, type Credential } from '../../setup/test-service.js';
import { everyStateWorld } from './every-state-world.js';

const world = everyStateWorld();
let service: TestService;
let assistant: Credential;

const inOrder = (list: readonly Row[]): string[] => list.map((row) => row.rowKey);

beforeAll(async () => {
  service = await TestService.start();
  await load(service.database, world.records);
  assistant = await service.tokenFor(world.anna.id);
});
afterAll(() => service.stop());

describe('the result of a deal set', () => {
  it('has the oldest item first, of any row and kind', async () => {
    const set = dealSet({ buyerId: world.anna.id });
    const members = [1, 2, 3].map(() =>
      priceCheck({
        buyerId: world.anna.id,
        dealSetId: set.id,
        dealershipId: world.dealerships[0]!.id,
        ...written(3_000_000),
      }),
    );
    const [first, second, third] = members.map(({ id }) => id) as [string, string, string];
    const at = (hour: number, micros = ''): string => `2026-01-04T0${hour}:00:00${micros}Z`;
    const promptOf = (n: number): string => `prompt-${n}`;
    const asked = (priceCheckId: string, n: number, askedAt: string) =>
      question({ priceCheckId, promptId: promptOf(n), askedAt });
    const drafts = [
      draft({ priceCheckId: third, createdAt: at(2) }),
      draft({ priceCheckId: first, createdAt: at(5) }),
    ] as const;
    await load(service.database, [
      set,
      ...members,
      asked(second, 4, at(4)),
      asked(first, 3, at(3, '.001')),
      asked(second, 1, at(1)),
      asked(third, 2, at(3)),
      ...drafts,
    ]);
    for (const who of [world.session, assistant]) {
      const answer = await service.get<{ data: DealSetResult }>(`/api/v1/deal-sets/${set.id}`, who);
      expect(
        answer.body.data.needsYou.map((item) =>
          item.kind === 'question' ? item.promptId : item.requestId,
        ),
      ).toEqual(
        [1, drafts[0].id, 2, 3, 4, drafts[1].id].map((n) =>
          typeof n === 'number' ? promptOf(n) : n,
        ),
      );
      expect(answer.body.data.counts.needsYou).toBe(6);
    }
  });

  it('ranks rows of one price by the earlier writing, then by the row key', async () => {
    const set = dealSet({ buyerId: world.anna.id });
    const member = (n: number, writtenAt: string, distanceMiles: number) =>
      priceCheck({
        buyerId: world.anna.id,
        id: `00000000-0000-4000-8000-00000000a00${n}`,
        dealSetId: set.id,
        dealershipId: world.dealerships[0]!.id,
        unlockedAt: '2026-01-09T00:00:00Z',
        distanceMiles,
        ...written(3_000_000, writtenAt),
      });
    const ties = [
      member(1, '2026-01-05T00:00:00Z', 1),
      member(2, '2026-01-04T00:00:00Z', 2),
      member(3, '2026-01-03T00:00:00Z', 3),
      member(4, '2026-01-03T00:00:00Z', 4),
    ];
    await load(service.database, [set, ...ties]);
    const { body } = await service.get<{ data: DealSetResult }>(
      `/api/v1/deal-sets/${set.id}`,
      world.session,
    );
    const expected = [3, 4, 2, 1].map((n) => ties[n - 1]!.id);
    expect(body.data.ranked.map((group) => inOrder(group.rows))).toEqual([expected]);
    expect(body.data.hero).toMatchObject({
      rowKey: expected[0],
      distanceMiles: 3,
      gapToNextCents: 0,
    });
    const list = await service.get<{ data: { dealSetId?: string }[] }>(
      '/api/v1/deal-sets',
      world.session,
    );
    expect(list.body.data.find(({ dealSetId }) => dealSetId === set.id)).toMatchObject({
      lowestWrittenDistanceMiles: 3,
    });
  });

  it('says of rows that are all archived how many there are', async () => {
    const set = dealSet({ buyerId: world.anna.id });
    const members = [1, 2].map(() =>
      priceCheck({
        buyerId: world.anna.id,
        dealSetId: set.id,
        dealershipId: world.dealerships[0]!.id,
        archivedAt: '2026-01-05T00:00:00Z',
      }),
    );
    await load(service.database, [set, ...members]);
    const answer = await service.get<{ data: DealSetResult }>(
      `/api/v1/deal-sets/${set.id}`,
      world.session,
    );
    expect(answer.body.data.headerLine).toBe('2 archived');
  });

  it('previews a draft that is longer than what is read of it, and shows a question whole', async () => {
    const set = dealSet({ buyerId: world.anna.id });
    const member = priceCheck({
      buyerId: world.anna.id,
      dealSetId: set.id,
      dealershipId: world.dealerships[0]!.id,
    });
    const bodies = [
      `e${'\u0301'.repeat(99_999)}`,
      '👨‍👩‍👧‍👦'.repeat(9_000),
      'a'.repeat(100_000),
      '\u{1f697}'.repeat(280),
      `${'\u{1f697}'.repeat(280)}.`,
    ];
    const drafts = bodies.map((body) => draft({ priceCheckId: member.id, body }));
    const text = 'Why? \u{1f697}'.repeat(1_600).slice(0, 10_000);
    await load(service.database, [
      set,
      member,
      ...drafts,
      question({ priceCheckId: member.id, text }),
    ]);
    const { body } = await service.get<{ data: DealSetResult }>(
      `/api/v1/deal-sets/${set.id}`,
      world.session,
    );
    const previews = drafts.map(({ id }) => {
      const item = body.data.needsYou.find(
        (each) => each.kind === 'draft' && each.requestId === id,
      );
      return item?.kind === 'draft' ? [item.preview, item.previewComplete] : [];
    });
    expect(previews).toEqual([
      [bodies[0]!.slice(0, 2_000), false],
      ['👨‍👩‍👧‍👦'.repeat(181), false],
      [bodies[2]!.slice(0, 280), false],
      [bodies[3], true],
      [bodies[3], false],
    ]);
    expect(body.data.needsYou.find((item) => item.kind === 'question')).toMatchObject({
      question: text,
    });
  });

  it('has no hero without a ranked row, and answers a deal set without members', async () => {
    const empty = dealSet({ buyerId: world.anna.id });
    await load(service.database, [empty]);
    const answer = await service.get<{ data: DealSetResult }>(
      `/api/v1/deal-sets/${empty.id}`,
      world.session,
    );
    expect(answer.body.data).toMatchObject({
      hero: null,
      ranked: [],
      needsYou: [],
      counts: { written: 0, waiting: 0, total: null },
    });
  });
});
