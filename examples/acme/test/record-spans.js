/** Prints each span as a line. Loaded with `node --import`, as a tracing package would be. */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId } = span.spanContext();
      const line = { span: span.name, attributes: span.attributes, traceId };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
new HttpInstrumentation();
