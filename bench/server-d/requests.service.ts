import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Expose, plainToInstance, Transform, Type } from 'class-transformer';
import { Column, Entity, In, IsNull, PrimaryColumn, Repository } from 'typeorm';
import { DealSet, PriceCheck } from '../../src/database/entities.js';
import { ACTIVE_DEAL_SETS, ACTIVE_SINGLES } from '../../src/deal-sets/queries/entry-statements.js';
import { dealSetResultView } from '../../src/deal-sets/views/deal-set-result-view.js';
import { listEntryView } from '../../src/deal-sets/views/list-entry-view.js';
import { setFacts, setSummaryFacts, singleFacts, type NameKeys } from './entity-facts.js';
import type { User } from './sign-in.js';

/** A request's row in the feed. */
@Entity('request_feed', { schema: 'deal_sets' })
export class RequestFeed {
  @PrimaryColumn('uuid', { name: 'buyer_id' }) buyerId!: string;
  @PrimaryColumn('uuid', { name: 'request_id' }) requestId!: string;
  @PrimaryColumn('text', { name: 'kind' }) kind!: 'deal_set' | 'single';
  @Column('timestamp with time zone', { name: 'feed_at', precision: 3 }) feedAt!: Date;
  /**
   * False if the time of the newest change is unknown. `feedAt` is then the time at which the
   * request was recorded.
   */
  @Column('boolean', { name: 'is_time_known' }) isTimeKnown!: boolean;
}

// The response classes use the groups of class-transformer: each field that only some callers may
// receive has a group.

/** The callers other than hosted assistants. */
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
}

const WITH_MEMBERS = { members: { dealership: true, questions: true, drafts: true } } as const;
/** The columns to select from `request_feed`, which is part of the service's read model. */
const FEED_COLUMNS = { requestId: true, kind: true, feedAt: true, isTimeKnown: true } as const;

/** Reads requests through entities with their relations. */
@Injectable()
export class RequestsService {
  constructor(
    @InjectRepository(DealSet) private readonly sets: Repository<DealSet>,
    @InjectRepository(PriceCheck) private readonly checks: Repository<PriceCheck>,
    @InjectRepository(RequestFeed) private readonly feed: Repository<RequestFeed>,
  ) {}

  /**
   * Returns one deal set of the buyer.
   *
   * @throws {NotFoundException} if the buyer has no such deal set.
   */
  async dealSet({ buyerId, type }: User, id: string): Promise<DealSetDto> {
    const set = await this.sets.findOne({ where: { buyerId, id }, relations: WITH_MEMBERS });
    if (!set) throw new NotFoundException();
    const nameKeys = type === 'session' ? await this.nameKeys(set.members ?? []) : new Map();
    const facts = setFacts(set, type !== 'session', nameKeys);
    return plainToInstance(DealSetDto, dealSetResultView(facts, viewer(type)), {
      groups: NOT_HOSTED,
    });
  }

  /** Reads the keys of the names that are masked in messages. */
  private async nameKeys(checks: readonly PriceCheck[]): Promise<NameKeys> {
    const rows: { id: string; keys: string[] }[] = await this.checks.query(
      'SELECT id, deal_sets.dealership_name_keys(id) AS keys FROM unnest($1::uuid[]) id',
      [checks.map(({ dealershipId }) => dealershipId)],
    );
    return new Map(rows.map(({ id, keys }) => [id, keys]));
  }

  /** Returns the active requests, and whether any request was left out. */
  async active({ buyerId, type }: User): Promise<{ entries: EntryDto[]; hasMore: boolean }> {
    const sets = await this.sets.find({
      where: { buyerId, endedAt: IsNull() },
      relations: WITH_MEMBERS,
      order: { createdAt: 'DESC', id: 'ASC' },
      take: ACTIVE_DEAL_SETS + 1,
    });
    const singles = await this.checks.find({
      where: { buyerId, dealSetId: IsNull(), ended: IsNull(), archivedAt: IsNull() },
      relations: { dealership: true, questions: true },
      order: { requestedAt: 'DESC', id: 'ASC' },
      take: ACTIVE_SINGLES + 1,
    });
    const ids = [...sets, ...singles].map(({ id }) => id);
    const feed = await this.feed.find({
      select: FEED_COLUMNS,
      where: { buyerId, requestId: In(ids) },
    });
    const changedAt = new Map(
      feed.map(({ requestId, feedAt, isTimeKnown }) => [requestId, isTimeKnown ? feedAt : null]),
    );
    const at = ({ id }: { id: string }): Date | null => changedAt.get(id) ?? null;
    const isAssistant = type !== 'session';
    const facts = [
      ...sets.slice(0, ACTIVE_DEAL_SETS).map((set) => setSummaryFacts(set, at(set), isAssistant)),
      ...singles
        .slice(0, ACTIVE_SINGLES)
        .map((check) => singleFacts(check, at(check), isAssistant)),
    ];
    const entries = facts.map((request) =>
      plainToInstance(EntryDto, listEntryView(request, viewer(type)) as object),
    );
    return { entries, hasMore: sets.length > ACTIVE_DEAL_SETS || singles.length > ACTIVE_SINGLES };
  }
}

function viewer(type: User['type']): 'session' | 'assistant' {
  return type === 'session' ? 'session' : 'assistant';
}
