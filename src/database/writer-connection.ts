import {
  Inject,
  Injectable,
  Scope,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { getDataSourceToken, getRepositoryToken } from '@nestjs/typeorm';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { TYPEORM_CONNECTION } from './data-source.js';
import { ENTITIES } from './entities/entities.js';

const RETRY_MS = 1_000;

/**
 * Connects TypeORM's data source in the background, with retries, once a team's provider injects one of
 * its repositories. The service itself serves requests without it.
 */
@Injectable()
export class WriterConnection implements OnApplicationShutdown {
  readonly #stop = new AbortController();
  #opening: Promise<void> | undefined;

  constructor(@Inject(getDataSourceToken(TYPEORM_CONNECTION)) readonly dataSource: DataSource) {}

  /** Starts to connect; does not wait for it. */
  open(): void {
    this.#opening ??= this.#connect();
  }

  /** `TypeOrmModule` closes an open connection; one that an attempt under way still opens is closed here. */
  onApplicationShutdown(): void {
    this.#stop.abort();
    if (this.dataSource.isInitialized) return;
    void this.#opening?.then(() =>
      this.dataSource.isInitialized ? this.dataSource.destroy() : undefined,
    );
  }

  async #connect(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.dataSource.initialize();
        return;
      } catch {
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }
}

/**
 * The repositories that `@InjectRepository(<entity>, 'deal-sets')` asks for. Nest calls the factory of a
 * transient provider once for each provider that injects it and never otherwise, which is how the
 * connection learns that it is needed; `TypeOrmModule.forFeature` makes its repositories in any case.
 */
export const REPOSITORIES: Provider[] = ENTITIES.map((entity) => ({
  provide: getRepositoryToken(entity, TYPEORM_CONNECTION),
  scope: Scope.TRANSIENT,
  inject: [WriterConnection],
  useFactory: (connection: WriterConnection) => {
    connection.open();
    return connection.dataSource.getRepository<object>(entity);
  },
}));
