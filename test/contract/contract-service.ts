import type { ListEntry } from '../../src/deal-sets/dto/list-entry.js';
import type { ImportRecord } from '../../src/operations/import/records/records.js';
import { buyer, grant, insert, signIn } from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import { TestService, type Credential } from '../setup/test-service.js';
import type { Reader } from '../setup/world.js';

/** The two principals of the contract (section 1). */
export const PRINCIPALS = ['session', 'assistant'] as const;

/** The `since` from which a client reads everything (4.1, rule 3). */
export const BEGINNING = '1970-01-01T00:00:00Z';

/** A successful response of the list. */
export interface List {
  readonly entries: readonly ListEntry[];
  /** `dealSetId` or `id` of each entry. */
  readonly ids: readonly string[];
  /** `Service-More`. */
  readonly more: string | undefined;
  /** `Service-As-Of`. */
  readonly asOf: string | undefined;
}

/** The id of an entry of either kind. */
export const idOf = (entry: ListEntry): string =>
  entry.kind === 'deal_set' ? entry.dealSetId : entry.id;

/**
 * One service with its default settings for the tests of a file, which keep apart by using buyers
 * of their own.
 */
export class ContractService {
  #service: TestService | undefined;

  /** Registers the start and the stop of the service with Jest. */
  static forFile(): ContractService {
    const contract = new ContractService();
    beforeAll(async () => {
      // Most other suites need a higher limit than the default.
      contract.#service = await TestService.start({ env: { READ_RATE_LIMIT: undefined } });
    });
    afterAll(() => contract.#service?.stop());
    return contract;
  }

  get service(): TestService {
    if (!this.#service) throw new Error('the service starts before the first test');
    return this.#service;
  }

  /** Stores records like any writer. */
  insert(...records: readonly ImportRecord[]): Promise<void> {
    return insert(this.service.database, records);
  }

  /** Stores a buyer without requests. Default: one to whom `changes` are granted. */
  async newReader(person = buyer({ changesGranted: true })): Promise<Reader> {
    const { record, cookie } = signIn(person.id);
    await this.insert(person, record, grant({ buyerId: person.id }));
    const assistant = await this.service.tokenFor(person.id);
    return { id: person.id, session: { cookie }, assistant };
  }

  /** Gives a buyer's requests these times of their last activity, by id. */
  async setActivity(reader: Reader, times: Readonly<Record<string, string>>): Promise<void> {
    await this.service.database.query(
      `UPDATE deal_sets.request_feed f SET feed_at = t.value::timestamptz, is_time_known = true
       FROM jsonb_each_text($2) t WHERE f.buyer_id = $1 AND f.request_id = t.key::uuid`,
      [reader.id, JSON.stringify(times)],
    );
  }

  /** The database's clock in milliseconds since 1970. */
  async databaseTime(): Promise<number> {
    const [row] = await this.service.database.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    return row!.ms;
  }

  /** Reads the list; `since` is absent in a plain call. */
  async list(credential: Credential, since?: string): Promise<List> {
    const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
    const { status, body, headers } = await this.service.get<{ data: ListEntry[] }>(
      `${LIST}${query}`,
      credential,
    );
    expect(status).toBe(200);
    return {
      entries: body.data,
      ids: body.data.map(idOf),
      more: headers['service-more'] as string | undefined,
      asOf: headers['service-as-of'] as string | undefined,
    };
  }

  /** Reads everything after `since` as a client does (4.1, rule 3). */
  async readAll(credential: Credential, since = BEGINNING): Promise<List[]> {
    const page = await this.list(credential, since);
    if (page.more === 'false') return [page];
    expect(Date.parse(page.asOf!)).toBeGreaterThan(Date.parse(since));
    return [page, ...(await this.readAll(credential, page.asOf))];
  }
}
