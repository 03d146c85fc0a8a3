import { MetricsRegistry, type MetricsSource } from '@deal-sets/service';
import type { Registry } from 'prom-client';

/** Serves the metrics of the service together with those of Acme. */
export class AcmeMetrics extends MetricsRegistry {
  readonly #sources: MetricsSource[] = [];

  /** @param own the registry of Acme's metrics. */
  constructor(private readonly own: Registry) {
    super();
  }

  override get contentType(): string {
    return this.own.contentType;
  }

  override register(source: MetricsSource): void {
    this.#sources.push(source);
  }

  override async text(): Promise<string> {
    const texts = [this.own.metrics(), ...this.#sources.map((source) => source())];
    return (await Promise.all(texts)).join('');
  }
}
