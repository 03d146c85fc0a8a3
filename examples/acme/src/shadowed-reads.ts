import { isDeepStrictEqual } from 'node:util';
import {
  DealSetReads,
  type Deadline,
  type DealSetRead,
  type ListCall,
  type ListRead,
  type MetricsRegistry,
  type Principal,
} from '@deal-sets/service';
import { Counter } from 'prom-client';

const CANDIDATE_LIMIT_MS = 2_000;

/**
 * Shadow traffic: repeats a share of the reads with a second implementation, and counts whether the
 * two responses are equal. The caller always gets the first result, and never waits for the second
 * read. A deal set that changes between the two reads also counts as different.
 */
export class ShadowedReads extends DealSetReads {
  readonly #comparisons: Counter<'result'>;

  /** @param share the fraction of the reads to repeat, from 0 to 1. */
  constructor(
    private readonly reads: DealSetReads,
    private readonly candidate: DealSetReads,
    registry: MetricsRegistry,
    private readonly share: number,
  ) {
    super();
    this.#comparisons = new Counter({
      name: 'acme_shadow_reads_total',
      help: 'Repeated reads by the result of the comparison (equal, different or failed)',
      labelNames: ['result'],
      registers: [registry],
    });
  }

  override async list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead> {
    const result = await this.reads.list(principal, call, deadline);
    this.#repeat(result, (own) => this.candidate.list(principal, call, own));
    return result;
  }

  override async get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead> {
    const result = await this.reads.get(principal, id, deadline);
    this.#repeat(result, (own) => this.candidate.get(principal, id, own));
    return result;
  }

  /** Schedules the second read, and returns at once. */
  #repeat(
    first: ListRead | DealSetRead,
    read: (deadline: Deadline) => Promise<ListRead | DealSetRead>,
  ): void {
    if (Math.random() < this.share) setImmediate(() => void this.#compare(first, read));
  }

  async #compare(
    first: ListRead | DealSetRead,
    read: (deadline: Deadline) => Promise<ListRead | DealSetRead>,
  ): Promise<void> {
    try {
      const second = await read(newDeadline());
      const isEqual = isDeepStrictEqual(asJson(second), asJson(first));
      this.#comparisons.inc({ result: isEqual ? 'equal' : 'different' });
    } catch {
      this.#comparisons.inc({ result: 'failed' });
    }
  }
}

/** Returns the response as parsed JSON: plain objects, without properties that are undefined. */
function asJson({ response }: ListRead | DealSetRead): unknown {
  return JSON.parse(JSON.stringify(response));
}

/**
 * Returns the deadline of the second read. It has its own, because that of the request ends with the
 * response.
 */
function newDeadline(): Deadline {
  const endsAt = performance.now() + CANDIDATE_LIMIT_MS;
  return {
    signal: AbortSignal.timeout(CANDIDATE_LIMIT_MS),
    remainingMs: () => endsAt - performance.now(),
  };
}
