import type { DealSetResult } from '../../src/deal-sets/dto/deal-set-result.js';
import type { Row } from '../../src/deal-sets/dto/row.js';
import { dealSet, written } from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import { BEGINNING, ContractService, idOf, PRINCIPALS } from './contract-service.js';
import type { Reader } from '../setup/world.js';
import * as every from './every-row.js';

const contract = ContractService.forFile();
let anna: Reader;
beforeAll(async () => {
  anna = await contract.newReader(every.anna);
  await contract.insert(...every.records);
});

describe.each(PRINCIPALS)('3 the states, for the %s', (principal) => {
  async function read(id: string): Promise<DealSetResult> {
    const path = `${LIST}/${id}`;
    return (await contract.service.get<{ data: DealSetResult }>(path, anna[principal])).body.data;
  }
  const rowsOf = ({ ranked, everyoneElse }: DealSetResult): Row[] => [
    ...ranked.flatMap((group) => group.rows),
    ...(Object.values(everyoneElse) as Row[][]).flat(),
  ];

  it('3.1 puts each row in the one place of its state', async () => {
    const result = await read(every.set.id);
    const keysOf = (rows: readonly Row[]): string[] => rows.map(({ rowKey }) => rowKey).sort();
    const idsOf = (...names: every.Name[]): string[] => names.map(every.idOf).sort();
    const { waiting, differentCar, ended, archived } = result.everyoneElse;
    expect(keysOf(result.ranked.flatMap((group) => group.rows))).toEqual(
      idsOf(
        'lowest',
        'unlocked',
        'chosen',
        'chosen at once',
        'without a trim',
        'without a listing',
      ),
    );
    expect(keysOf(waiting)).toEqual(idsOf('waiting', 'priced, but not in writing'));
    expect(keysOf(differentCar)).toEqual(idsOf('a different car'));
    expect(keysOf(ended)).toEqual(
      idsOf(
        'sold',
        'sold after the buyer unlocked it',
        'closed with a price',
        'closed with a price for a different car',
        'ended without a price',
        'timed out',
      ),
    );
    expect(keysOf(archived)).toEqual(idsOf('archived'));
  });

  it('3.1 says how a row ended exactly when it has ended', async () => {
    const endings = ['sold', 'closed_with_price', 'no_price', 'timed_out'];
    for (const { state, ended } of rowsOf(await read(every.set.id)))
      expect(state === 'ended' ? endings : [null]).toContain(ended);
  });

  it('3.2 puts a deal set in its section, and a written price exists in each of them', async () => {
    const finishedAt = every.unlockedAt;
    const sets = {
      ready: dealSet({ buyerId: anna.id }),
      in_progress: dealSet({ buyerId: anna.id }),
      inactive: dealSet({ buyerId: anna.id, endedAt: finishedAt }),
    };
    const rowOf = (section: keyof typeof sets, values: object) =>
      every.member(every.bay, 'EX', { dealSetId: sets[section].id, ...values });
    await contract.insert(
      ...Object.values(sets),
      rowOf('ready', { ...written(1), finishedAt }),
      rowOf('in_progress', written(2)),
      rowOf('in_progress', { finishedAt, archivedAt: finishedAt }),
      rowOf('in_progress', { finishedAt, ended: 'no_price' }),
      rowOf('in_progress', { finishedAt, answer: 'different_car' }),
      rowOf('inactive', { ...written(3), finishedAt }),
    );
    const { entries } = await contract.list(anna[principal], BEGINNING);
    for (const [section, { id }] of Object.entries(sets)) {
      const entry = entries.find((candidate) => idOf(candidate) === id);
      expect(entry).toMatchObject({ section, lowestWrittenOtdCents: expect.any(Number) as number });
    }
  });

  it('3.3 canUnlock is hidden, canChoose is unlocked and not chosen; both have a price in writing for the same car and are not archived', async () => {
    for (const row of rowsOf(await read(every.set.id))) {
      const [record] = Object.values(every.ROWS).find(([{ id }]) => id === row.rowKey)!;
      const isOffer =
        typeof record.price?.writtenAt === 'string' &&
        record.answer !== 'different_car' &&
        !row.archived;
      expect(row).toMatchObject({
        hidden: !record.unlockedAt && !record.chosenAt,
        canUnlock: row.hidden && isOffer,
        canChoose: !row.hidden && !row.chosen && isOffer,
      });
    }
  });

  it('3.3 lets rows of a deal set that has ended be unlocked and chosen', async () => {
    const over = dealSet({ buyerId: anna.id, endedAt: every.unlockedAt });
    const ofSet = { dealSetId: over.id };
    const sold = { ended: 'sold', unlockedAt: every.unlockedAt } as const;
    await contract.insert(
      over,
      every.member(every.fremont, 'EX', { ...ofSet, ...written(1) }),
      every.member(every.bay, 'EX', { ...ofSet, ...written(2), ...sold }),
    );
    const { hero, ranked, everyoneElse } = await read(over.id);
    expect([hero, ranked[0]!.rows[0]]).toMatchObject([{ canUnlock: true }, { canUnlock: true }]);
    expect(everyoneElse.ended).toMatchObject([{ canChoose: true, canUnlock: false }]);
  });
});
