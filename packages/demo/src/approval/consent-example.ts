import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  DealSetsApi,
  type AssistantPrincipal,
  type DealSetResult,
  type ListEntry,
  type Principal,
} from '@deal-sets/service';
import { READ_SCOPE } from '@deal-sets/service/standalone';
import { Buyer } from '@deal-sets/service/entities';
import type { Repository } from 'typeorm';

/** A value of the example, as the buyer sees it and as the assistant would get it. */
export interface ExampleValue {
  readonly name: string;
  readonly hers: string;
  /** Null if the assistant would not get it. */
  readonly assistants: string | null;
}

/** The buyer's best offer twice, or a made-up one for a buyer without an offer. */
export interface ConsentExample {
  readonly isMadeUp: boolean;
  readonly values: readonly ExampleValue[];
}

/** The assistant that requests approval. */
type Asking = Pick<AssistantPrincipal, 'clientId' | 'isHosted'>;

/** The reads are those of a page of the website, so no caller's rate limit counts them. */
const NOT_COUNTED = { isUncounted: true } as const;

/**
 * Computes, before the buyer answers, what the assistant would get of the buyer's best offer. Only
 * the service can do this, because it redacts the response for the principal that the approval
 * would create.
 */
@Injectable()
export class ConsentExamples {
  constructor(
    private readonly dealSets: DealSetsApi,
    @InjectRepository(Buyer) private readonly buyers: Repository<Buyer>,
  ) {}

  async forBuyer(buyerId: string, { clientId, isHosted }: Asking): Promise<ConsentExample> {
    const session: Principal = { type: 'session', buyerId };
    const { response } = await this.dealSets.list(session, {}, undefined, NOT_COUNTED);
    const offered = response.data.filter(isOffered);
    const best = offered.find(({ section }) => section === 'ready') ?? offered[0];
    if (best?.kind !== 'deal_set') return MADE_UP;
    const buyer = await this.buyers.findOneBy({ id: buyerId });
    const assistant: Principal = {
      type: 'assistant',
      buyerId,
      clientId,
      isHosted,
      scopes: new Set([READ_SCOPE]),
      seesChanges: buyer?.changesGranted ?? false,
    };
    const [hers, assistants] = await Promise.all(
      [session, assistant].map((principal) =>
        this.dealSets.get(principal, best.dealSetId, undefined, NOT_COUNTED),
      ),
    );
    const values = hers && assistants ? valuesOf(hers.data, assistants.data) : [];
    return values.length === 0 ? MADE_UP : { isMadeUp: false, values };
  }
}

/** Whether an offer of the request is open. The list begins with the newest request. */
const isOffered = (entry: ListEntry): boolean =>
  entry.kind === 'deal_set' && entry.section !== 'inactive' && entry.summary.written > 0;

/** The values that the example shows, with their texts; null where there is none. */
const SHOWN: readonly (readonly [
  name: string,
  textOf: (result: DealSetResult) => string | null,
])[] = [
  ['The car you want', ({ car }) => joined(car.year, car.make, car.model, car.trim)],
  ['Best offer', ({ hero }) => hero && hero.label],
  ['Price with taxes and fees', ({ hero }) => hero && dollars(hero.otdCents)],
  ['Distance', (result) => distanceOf(result)],
  ['Your ZIP code', ({ search }) => search.buyerZip],
  ['A message', ({ needsYou }) => needsYou.map(wordsOf).find((words) => words !== null) ?? null],
];

/** Returns no values for a deal set without a ranked offer. */
function valuesOf(hers: DealSetResult, assistants: DealSetResult): ExampleValue[] {
  if (!hers.hero) return [];
  return SHOWN.flatMap(([name, textOf]) => {
    const text = textOf(hers);
    return text === null ? [] : [{ name, hers: text, assistants: textOf(assistants) }];
  });
}

/** `distanceMiles` of a hidden dealership is the lower end of its range, so the range is shown. */
function distanceOf({ hero, ranked }: DealSetResult): string | null {
  const row = ranked.flatMap(({ rows }) => rows).find(({ rowKey }) => rowKey === hero?.rowKey);
  if (!row) return null;
  return row.hidden || row.distanceMiles === null ? row.distanceBand : `${row.distanceMiles} miles`;
}

const wordsOf = (item: DealSetResult['needsYou'][number]): string | null =>
  item.kind === 'question' ? item.question : item.preview;

const joined = (...texts: readonly (string | number | null)[]): string =>
  texts.filter((text) => text !== null).join(' ');

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const dollars = (cents: number): string => DOLLARS.format(cents / 100).replace(/\.00$/, '');

const MADE_UP: ConsentExample = {
  isMadeUp: true,
  values: [
    {
      name: 'The car you want',
      hers: '2026 Subaru Forester Premium',
      assistants: '2026 Subaru Forester',
    },
    {
      name: 'Best offer',
      hers: 'Example Motors',
      assistants: 'Blue 2026 Forester Premium, listed at $36,200',
    },
    { name: 'Price with taxes and fees', hers: '$37,450', assistants: '$37,450' },
    { name: 'Distance', hers: '12.5 miles', assistants: null },
    { name: 'Your ZIP code', hers: '00000', assistants: null },
    { name: 'A message', hers: 'Would Friday suit you for a test drive?', assistants: null },
  ],
};
