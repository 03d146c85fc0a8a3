/**
 * Where log lines go in place of standard output.
 *
 * Guarantees: it receives each line once, in order: one JSON object with a line feed, with no secret and no
 * name of a dealership.
 * Must never: block; it is called on the request's path.
 * When it fails: the line goes to standard output.
 */
export interface LogSink {
  write(line: string): void;
}

/** The sink, which no failure of its own can take down the request with. */
export function guardedSink(sink: LogSink): LogSink {
  return {
    write: (line) => {
      try {
        sink.write(line);
      } catch {
        process.stdout.write(line);
      }
    },
  };
}
