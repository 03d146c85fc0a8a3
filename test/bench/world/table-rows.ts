import {
  copyText,
  type ColumnType,
  type StagedTable,
} from '../../../src/import/load/staged-table.js';
import { STAGED_TABLES } from '../../../src/import/load/staged-tables.js';
import type { ImportRecord, RecordTypes } from '../../../src/import/records/record-kinds.js';

/** A table as the bulk load fills it: the import's columns, and those that triggers would have filled. */
interface LoadedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A piece of a table in COPY's text form. */
export interface RowBatch {
  readonly table: string;
  readonly columns: readonly string[];
  readonly text: string;
}

const BATCH_CHARACTERS = 1024 * 1024;

const SHOWN_COLUMNS = [
  'shown_year',
  'shown_make',
  'shown_model',
  'shown_trim',
  'shown_exterior_color',
  'shown_mileage',
  'shown_listed_at_cents',
  'shown_verified_partner',
];
const FEED_COLUMNS = ['buyer_id', 'request_id', 'kind', 'feed_at', 'is_time_known', 'is_pending'];
const FEED: LoadedTable = { name: 'request_feed', columns: FEED_COLUMNS };

function tableOf(kind: ImportRecord['record']): LoadedTable {
  const { table, columns } = STAGED_TABLES[kind];
  const names = columns.map(({ name }) => name);
  if (kind === 'priceCheck') names.push(...SHOWN_COLUMNS);
  if (kind === 'question' || kind === 'draft' || kind === 'reply') names.push('request_id');
  if (kind === 'reply') names.push('feed_at');
  return { name: table, columns: names };
}

const TABLES = Object.fromEntries(
  (Object.keys(STAGED_TABLES) as ImportRecord['record'][]).map((kind) => [kind, tableOf(kind)]),
) as Readonly<Record<ImportRecord['record'], LoadedTable>>;

/**
 * Turns records into rows of the tables themselves, as triggers would have filled them: a
 * listing's shown parts, a child's request, the place in the feed. Listings that carry a dealership's own
 * name are cleaned by the database afterwards.
 */
export class TableRows {
  readonly #texts = new Map<LoadedTable, string>();
  #priceCheck:
    { readonly id: string; readonly buyerId: string; readonly requestId: string } | undefined;

  /**
   * @param partners ids of dealerships that are Verified partners.
   * @param recordedAt the place in the feed of requests whose time of newest change is unknown.
   */
  constructor(
    private readonly partners: ReadonlySet<string>,
    private readonly recordedAt: string,
  ) {}

  /** Takes a record; returns the batches that became full. */
  add(record: ImportRecord): RowBatch[] {
    switch (record.record) {
      case 'dealSet':
        return [
          ...this.#append(TABLES.dealSet, this.#own(record)),
          ...this.#place(record.buyerId, record.id, 'deal_set', record.latestActivityAt),
        ];
      case 'priceCheck':
        return this.#addPriceCheck(record);
      case 'question':
      case 'draft':
        return this.#append(TABLES[record.record], this.#child(record));
      case 'reply':
        // As history that has arrived: readable since it was received.
        return this.#append(
          TABLES.reply,
          `${this.#child(record)}\t${copyText(record.receivedAt, 'timestamptz')}`,
        );
      default:
        return this.#append(TABLES[record.record], this.#own(record));
    }
  }

  /** What is left. */
  rest(): RowBatch[] {
    return [...this.#texts.keys()].flatMap((table) => this.#flush(table));
  }

  #addPriceCheck(record: Extract<ImportRecord, { record: 'priceCheck' }>): RowBatch[] {
    const { id, buyerId, dealSetId, dealershipId, listing, latestActivityAt } = record;
    this.#priceCheck = { id, buyerId, requestId: dealSetId ?? id };
    const shown = [
      copyText(listing.year, 'integer'),
      copyText(shownText(listing.make), 'text'),
      copyText(shownText(listing.model), 'text'),
      copyText(shownText(listing.trim), 'text'),
      copyText(shownText(listing.exteriorColor), 'text'),
      copyText(listing.mileage, 'integer'),
      copyText(listing.listedAtCents, 'bigint'),
      copyText(this.partners.has(dealershipId), 'boolean'),
    ].join('\t');
    const rows = this.#append(TABLES.priceCheck, `${this.#own(record)}\t${shown}`);
    if (dealSetId === undefined || dealSetId === null)
      rows.push(...this.#place(buyerId, id, 'single', latestActivityAt));
    return rows;
  }

  /** A thread's records follow their price check. */
  #child(record: Extract<ImportRecord, { record: 'question' | 'draft' | 'reply' }>): string {
    const parent = this.#priceCheck;
    if (parent?.id !== record.priceCheckId)
      throw new Error('a thread is separated from its price check');
    const own = this.#own(record);
    // The buyer comes first, and is not known to the import at this point.
    return `${parent.buyerId}${own.slice(own.indexOf('\t'))}\t${parent.requestId}`;
  }

  #own<K extends ImportRecord['record']>(record: { record: K } & RecordTypes[K]): string {
    const { columns } = STAGED_TABLES[record.record] as unknown as StagedTable<unknown>;
    let text = '';
    for (const { value, type } of columns)
      text += `${text === '' ? '' : '\t'}${copyText(value(record), type)}`;
    return text;
  }

  #place(buyerId: string, id: string, kind: string, at: string | null | undefined): RowBatch[] {
    const time: ColumnType = 'timestamptz';
    const isKnown = at !== null && at !== undefined;
    const feedAt = copyText(isKnown ? at : this.recordedAt, time);
    return this.#append(FEED, `${buyerId}\t${id}\t${kind}\t${feedAt}\t${isKnown ? 't' : 'f'}\tf`);
  }

  #append(table: LoadedTable, row: string): RowBatch[] {
    const text = `${this.#texts.get(table) ?? ''}${row}\n`;
    this.#texts.set(table, text);
    return text.length < BATCH_CHARACTERS ? [] : this.#flush(table);
  }

  #flush(table: LoadedTable): RowBatch[] {
    const text = this.#texts.get(table) ?? '';
    this.#texts.set(table, '');
    return text === '' ? [] : [{ table: table.name, columns: table.columns, text }];
  }
}

function shownText(part: string | null | undefined): string | null {
  // As btrim in the database: blanks alone.
  return part?.replace(/^ +| +$/g, '') || null;
}
