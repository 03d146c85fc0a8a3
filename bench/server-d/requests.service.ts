import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Expose, plainToInstance, Transform, Type } from 'class-transformer';
import { Column, Entity, In, IsNull, MoreThan, PrimaryColumn, Repository } from 'typeorm';
import { DealSet, PriceCheck, Reply } from '../../src/database/entities.js';
import { dealSetResultView } from '../../src/deal-sets/view/deal-set-result-view.js';
import { changesOf, listEntryView } from '../../src/deal-sets/view/list-entry-view.js';
import { setFacts, setSummaryFacts, singleFacts } from './entity-facts.js';
import type { User } from './sign-in.js';

/** A request's position in the feed. */
@Entity('request_feed')
export class RequestFeed {
  @PrimaryColumn({ name: 'buyer_id', type: 'uuid' })
  buyerId!: string;

  @PrimaryColumn({ name: 'request_id', type: 'uuid' })
  requestId!: string;

  @PrimaryColumn({ name: 'kind', type: 'text' })
  kind!: 'deal_set' | 'single';

  @Column({ name: 'feed_at', type: 'timestamp with time zone', precision: 3 })
  feedAt!: Date;

  /** False: `feedAt` is when the request was recorded. */
  @Column({ name: 'is_time_known', type: 'boolean' })
  isTimeKnown!: boolean;
}

// The classes of the answers name what is not for everyone, by class-transformer's groups; the rest of a field is for
// all of them.

/** All but hosted assistants. */
const NOT_HOSTED = ['session', 'assistant'];

class RowDto {
  @Expose({ groups: NOT_HOSTED }) isVerifiedPartner?: boolean;
}

class GroupDto {
  @Type(() => RowDto) rows!: RowDto[];
}

class OthersDto {
  @Type(() => RowDto) waiting!: RowDto[];
  @Type(() => RowDto) differentCar!: RowDto[];
  @Type(() => RowDto) ended!: RowDto[];
  @Type(() => RowDto) archived!: RowDto[];
}

class DealSetDto {
  @Transform(
    ({ value, options }): unknown => (options.groups?.includes('session') ? value : null),
    { toPlainOnly: true },
  )
  headerLine!: string | null;
  @Type(() => GroupDto) ranked!: GroupDto[];
  @Type(() => OthersDto) everyoneElse!: OthersDto;
}

class EntryDto {
  kind!: 'deal_set' | 'single';
  id?: string;
  dealSetId?: string;
  changes?: object;
}

const SETS = 12;
const SINGLES = 25;
const PAGE = 25;
const WITH_MEMBERS = { members: { dealership: true, questions: true, drafts: true } } as const;
/** The request's place in the feed; its row of the read model is the service's. */
const PLACE = { requestId: true, kind: true, feedAt: true, isTimeKnown: true } as const;
const WITH_DEALERSHIP = { dealership: true, questions: true } as const;

interface Listing {
  readonly entries: EntryDto[];
  readonly hasMore: boolean;
  readonly asOf?: Date;
}

@Injectable()
export class RequestsService {
  constructor(
    @InjectRepository(DealSet) private readonly sets: Repository<DealSet>,
    @InjectRepository(PriceCheck) private readonly checks: Repository<PriceCheck>,
    @InjectRepository(RequestFeed) private readonly feed: Repository<RequestFeed>,
    @InjectRepository(Reply) private readonly replies: Repository<Reply>,
  ) {}

  async one({ buyerId, type }: User, id: string): Promise<DealSetDto> {
    const set = await this.sets.findOne({ where: { buyerId, id }, relations: WITH_MEMBERS });
    if (!set) throw new NotFoundException();
    const facts = setFacts(set, type !== 'session');
    return plainToInstance(DealSetDto, dealSetResultView(facts, viewer(type)), {
      groups: NOT_HOSTED,
    });
  }

  async active({ buyerId, type }: User): Promise<Listing> {
    const sets = await this.sets.find({
      where: { buyerId, endedAt: IsNull() },
      relations: WITH_MEMBERS,
      order: { createdAt: 'DESC', id: 'ASC' },
      take: SETS + 1,
    });
    const singles = await this.checks.find({
      where: { buyerId, dealSetId: IsNull(), ended: IsNull(), archivedAt: IsNull() },
      relations: WITH_DEALERSHIP,
      order: { requestedAt: 'DESC', id: 'ASC' },
      take: SINGLES + 1,
    });
    const ids = [...sets, ...singles].map(({ id }) => id);
    const feed = await this.feed.find({ select: PLACE, where: { buyerId, requestId: In(ids) } });
    return {
      entries: this.#entries(sets.slice(0, SETS), singles.slice(0, SINGLES), feed, type),
      hasMore: sets.length > SETS || singles.length > SINGLES,
    };
  }

  async changedSince({ buyerId, type, seesChanges }: User, since: Date): Promise<Listing> {
    const startedAt = new Date();
    const found = await this.feed.find({
      select: PLACE,
      where: { buyerId, feedAt: MoreThan(since) },
      order: { feedAt: 'ASC', kind: 'ASC', requestId: 'ASC' },
      take: PAGE + 1,
    });
    const page = found.slice(0, PAGE);
    const ids = (kind: string): string[] =>
      page.filter((entry) => entry.kind === kind).map(({ requestId }) => requestId);
    const sets = await this.sets.find({
      where: { buyerId, id: In(ids('deal_set')) },
      relations: WITH_MEMBERS,
    });
    const singles = await this.checks.find({
      where: { buyerId, id: In(ids('single')) },
      relations: WITH_DEALERSHIP,
    });
    const place = new Map(page.map(({ requestId }, index) => [requestId, index]));
    const entries = this.#entries(sets, singles, page, type).sort(
      (a, b) => (place.get(idOf(a)) ?? 0) - (place.get(idOf(b)) ?? 0),
    );
    if (seesChanges) await this.#addChanges(entries, buyerId, since);
    const edge = page.at(-1)?.feedAt;
    const hasMore = found.length > PAGE;
    const quiet = new Date(Math.max(startedAt.getTime() - 1000, since.getTime()));
    return { entries, hasMore, asOf: hasMore && edge ? edge : quiet };
  }

  #entries(
    sets: DealSet[],
    singles: PriceCheck[],
    feed: RequestFeed[],
    type: User['type'],
  ): EntryDto[] {
    const changedAt = new Map(
      feed.map(({ requestId, feedAt, isTimeKnown }) => [requestId, isTimeKnown ? feedAt : null]),
    );
    const isAssistant = type !== 'session';
    const facts = [
      ...sets.map((set) => setSummaryFacts(set, changedAt.get(set.id) ?? null, isAssistant)),
      ...singles.map((check) => singleFacts(check, changedAt.get(check.id) ?? null, isAssistant)),
    ];
    return facts.map((request) =>
      plainToInstance(EntryDto, listEntryView(request, viewer(type)) as object),
    );
  }

  async #addChanges(entries: EntryDto[], buyerId: string, since: Date): Promise<void> {
    const replies = await this.replies.findBy({
      buyerId,
      requestId: In(entries.map(idOf)),
      feedAt: MoreThan(since),
    });
    const tallies = new Map<string, { count: number; latestAt: string }>();
    for (const entry of entries) {
      const own = replies.filter(({ requestId }) => requestId === idOf(entry));
      if (own.length === 0) continue;
      const latest = Math.max(...own.map(({ feedAt }) => feedAt?.getTime() ?? 0));
      tallies.set(`${entry.kind}:${idOf(entry)}`, {
        count: own.length,
        latestAt: new Date(latest).toISOString(),
      });
    }
    for (const entry of entries) {
      const key = { kind: entry.kind, id: idOf(entry) };
      entry.changes = changesOf(key, entry as never, tallies);
    }
  }
}

function viewer(type: User['type']): 'session' | 'assistant' {
  return type === 'session' ? 'session' : 'assistant';
}

function idOf({ id, dealSetId }: EntryDto): string {
  return id ?? dealSetId ?? '';
}
