/**
 * Loaded by `node --import`: OpenTelemetry's own SDK and HTTP instrumentation; each span and each
 * value of a metric is a line of the output.
 */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const printLine = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** A provider of meters whose instruments print what is recorded. */
const meterProvider = {
  getMeter: () => ({
    createHistogram: (metric) => ({
      record: (value, attributes) => printLine({ metric, value, attributes }),
    }),
  }),
};

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      printLine({ span: span.name, attributes: span.attributes, traceId, spanId });
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
new HttpInstrumentation().setMeterProvider(meterProvider);
