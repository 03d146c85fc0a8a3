import autocannon from 'autocannon';

/** One request that a connection sends. */
export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Load on one server for some seconds. */
export interface Load {
  readonly url: string;
  readonly seconds: number;
  /** One list of requests for each connection, sent in order, over and over. */
  readonly connections: readonly (readonly LoadRequest[])[];
}

export interface LoadResult {
  /** All, those that came after the time was up included. */
  readonly answers: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Answers other than 200, and connections that failed. */
  readonly failures: number;
}

/** Longest wait for the last answers when the time is up. */
const LAST_ANSWERS_SECONDS = 10;

/** What the generator's client keeps to itself: once it has sent as many requests it closes. */
type Connection = { responseMax?: number };

/**
 * Keeps every connection busy until the time is up. Then each closes after its answer: a connection
 * cut with a request under way would make the server cancel that request's statement, and begin its
 * next load with fewer warm database connections.
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
        // How often it looks whether all is done.
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
