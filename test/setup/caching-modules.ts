import {
  Injectable,
  Module,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import { of as observableOf, tap, type Observable } from 'rxjs';

/** Nest's own cache for every route of the host application, as its manual describes. */
@Module({
  imports: [CacheModule.register({ ttl: 60_000 })],
  providers: [{ provide: APP_INTERCEPTOR, useClass: CacheInterceptor }],
})
export class NestCacheModule {}

/** A cache that responds before every other interceptor and uses only the URL as the key. */
@Injectable()
class UrlCache implements NestInterceptor {
  readonly #results = new Map<string, unknown>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { url } = context.switchToHttp().getRequest<{ url: string }>();
    if (this.#results.has(url)) return observableOf(this.#results.get(url));
    return next.handle().pipe(tap((result) => this.#results.set(url, result)));
  }
}

/** The host application's own cache for every route. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: UrlCache }] })
export class UrlCacheModule {}
