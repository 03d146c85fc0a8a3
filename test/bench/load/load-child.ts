import autocannon from 'autocannon';

/** One request that a connection sends. */
export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One server's turn. */
export interface Turn {
  readonly url: string;
  readonly seconds: number;
  /** One list of requests for each connection, sent in order, over and over. */
  readonly connections: readonly (readonly LoadRequest[])[];
}

export interface TurnResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers other than 200, and connections that failed. */
  readonly failures: number;
}

async function take({ url, seconds, connections }: Turn): Promise<TurnResult> {
  const times: number[] = [];
  let failures = 0;
  let next = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections: connections.length,
        duration: seconds,
        // How often it looks whether the time is up.
        sampleInt: 50,
        requests: [{ method: 'GET', path: '/' }],
        setupClient: (client) => {
          const requests = connections[next++ % connections.length] ?? [];
          client.setRequests(
            requests.map(({ path, headers }) => ({ method: 'GET', path, headers: { ...headers } })),
          );
        },
      },
      (error: Error | null, done) => (error ? reject(error) : resolve(done)),
    );
    run.on('response', (_client, statusCode, _bytes, responseMs) => {
      times.push(responseMs);
      if (statusCode !== 200) failures += 1;
    });
  });
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    seconds: result.duration,
    p50: times[Math.floor(times.length * 0.5)] ?? NaN,
    p99: times[Math.floor(times.length * 0.99)] ?? NaN,
    failures: failures + result.errors,
  };
}

process.on('message', (turn: Turn) => {
  void take(turn).then((result) => process.send?.(result));
});
