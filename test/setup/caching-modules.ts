import {
  Injectable,
  Module,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import { map, of as observableOf, type Observable } from 'rxjs';

/** Nest's own cache for every route of the host application, as its manual describes. */
@Module({
  imports: [CacheModule.register({ ttl: 60_000 })],
  providers: [{ provide: APP_INTERCEPTOR, useClass: CacheInterceptor }],
})
export class NestCacheModule {}

/** A store whose key is only the URL. */
class UrlStore {
  readonly #results = new Map<string, unknown>();

  /** Returns the result that was stored first for the URL of a call. */
  keepFirst(context: ExecutionContext, result: unknown): unknown {
    const { url } = context.switchToHttp().getRequest<{ url: string }>();
    if (!this.#results.has(url)) this.#results.set(url, result);
    return this.#results.get(url);
  }

  /** Returns the stored result for the URL of a call, or undefined. */
  find(context: ExecutionContext): unknown {
    return this.#results.get(context.switchToHttp().getRequest<{ url: string }>().url);
  }
}

/** A cache that responds before every other interceptor. */
@Injectable()
class UrlCache implements NestInterceptor {
  readonly #store = new UrlStore();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const stored = this.#store.find(context);
    if (stored !== undefined) return observableOf(stored);
    return next.handle().pipe(map((result) => this.#store.keepFirst(context, result)));
  }
}

/** The host application's own cache for every route. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: UrlCache }] })
export class UrlCacheModule {}

/** A cache that calls the handler each time and sends what it has stored. */
@Injectable()
class RefreshingCache implements NestInterceptor {
  readonly #store = new UrlStore();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((result) => this.#store.keepFirst(context, result)));
  }
}

/** A cache that refreshes its results, for every route of the host application. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: RefreshingCache }] })
export class RefreshingCacheModule {}

/** A cache that has stored null for every URL. */
@Injectable()
class NullCache implements NestInterceptor {
  intercept(): Observable<unknown> {
    return observableOf(null);
  }
}

/** A cache without results, for every route of the host application. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: NullCache }] })
export class NullCacheModule {}
