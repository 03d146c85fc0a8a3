import autocannon from 'autocannon';

/** One request of a connection. */
export interface LoadRequest {
  /** `GET` if absent. */
  readonly method?: 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A load on one server for a number of seconds. */
export interface Load {
  readonly url: string;
  readonly seconds: number;
  /** The requests of each connection, which sends them in order and starts over at the end. */
  readonly connections: readonly (readonly LoadRequest[])[];
}

/** The measurements of a load. */
export interface LoadResult {
  /** The number of responses, including those that arrive after the time is up. */
  readonly answers: number;
  /** Responses per second until the time is up. */
  readonly perSecond: number;
  /** The 99th percentile of the latency, in milliseconds. */
  readonly p99: number;
  /** The number of responses with a status other than 200 and of connection errors. */
  readonly failures: number;
}

/** How long to wait for outstanding responses after the measurement ends, in seconds. */
const LAST_ANSWERS_SECONDS = 10;

/**
 * An undocumented property of autocannon's client: the number of responses after which the client
 * closes its connection.
 */
type Connection = { responseMax?: number };

/**
 * Keeps every connection busy until the time is up; then each connection closes after its response.
 * If a connection were cut during a request, the server would cancel the statement and begin the
 * next load with fewer open database connections.
 */
async function apply({ url, seconds, connections }: Load): Promise<LoadResult> {
  const times: number[] = [];
  let failures = 0;
  let next = 0;
  let requests = 0;
  const endsAt = performance.now() + seconds * 1000;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections: connections.length,
        duration: seconds + LAST_ANSWERS_SECONDS,
        // How often autocannon checks whether all connections have closed, in milliseconds.
        sampleInt: 50,
        requests: [{ method: 'GET', path: '/' }],
        setupClient: (client) =>
          client.setRequests(
            (connections[next++ % connections.length] ?? []).map(({ headers, ...request }) => ({
              method: 'GET',
              ...request,
              headers: { ...headers },
            })),
          ),
      },
      (error: Error | null, done) => (error ? reject(error) : resolve(done)),
    );
    run.on('response', (client, statusCode, _bytes, responseMs) => {
      times.push(responseMs);
      if (statusCode !== 200) failures += 1;
      if (performance.now() < endsAt) requests += 1;
      else (client as unknown as Connection).responseMax = 1;
    });
  });
  times.sort((a, b) => a - b);
  return {
    answers: times.length,
    perSecond: requests / seconds,
    p99: times[Math.floor(times.length * 0.99)] ?? NaN,
    failures: failures + result.errors,
  };
}

process.on('message', (load: Load) => {
  void apply(load).then((result) => process.send?.(result));
});
