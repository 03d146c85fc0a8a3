import { SpanStatusCode, trace } from '@opentelemetry/api';
import {
  DealSetReads,
  type Deadline,
  type DealSetRead,
  type ListCall,
  type ListRead,
  type Principal,
} from '@deal-sets/service';

/** Records a span for each of the two reads, over REST, MCP and Acme's own endpoints. */
export class TracedReads extends DealSetReads {
  readonly #tracer = trace.getTracer('acme');

  constructor(private readonly reads: DealSetReads) {
    super();
  }

  override list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead> {
    return this.#traced('list deal sets', principal, () =>
      this.reads.list(principal, call, deadline),
    );
  }

  override get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead> {
    return this.#traced('get deal set', principal, () => this.reads.get(principal, id, deadline));
  }

  #traced<Result>(name: string, { type }: Principal, read: () => Promise<Result>): Promise<Result> {
    // The attributes contain no personal data, only the type of the caller.
    const options = { attributes: { 'acme.principal_type': type } };
    return this.#tracer.startActiveSpan(name, options, async (span) => {
      try {
        return await read();
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
