import autocannon from 'autocannon';

/** One request of a connection. */
export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A load on one server for a number of seconds. */
export interface Load {
  readonly url: string;
  readonly seconds: number;
  /** A list of requests for each connection, which sends them in order, over and over. */
  readonly connections: readonly (readonly LoadRequest[])[];
}

export interface LoadResult {
  /** All responses, those after the end of the time included. */
  readonly answers: number;
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p99: number;
  /** Responses other than 200, and failed connections. */
  readonly failures: number;
}

/** How long to wait for outstanding responses after the measurement ends, in seconds. */
const LAST_ANSWERS_SECONDS = 10;

/**
 * Undocumented properties of the generator's client: it closes after it has sent this many
 * requests.
 */
type Connection = { responseMax?: number };

/**
 * Keeps every connection busy until the time is up; then each connection closes after its response.
 * If a connection were cut while a request is running, the server would cancel the statement and
 * start the next load with fewer open database connections.
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
        // The interval at which it checks whether all connections have closed.
        sampleInt: 50,
        requests: [{ method: 'GET', path: '/' }],
        setupClient: (client) =>
          client.setRequests(
            (connections[next++ % connections.length] ?? []).map(({ path, headers }) => ({
              method: 'GET',
              path,
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
