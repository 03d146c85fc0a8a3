import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { isDealSetsEndpoint } from '@deal-sets/service';
import { map, type Observable } from 'rxjs';

/** Wraps every result of the shop's own routes in `data`, but no file. */
@Injectable()
export class DataInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (isDealSetsEndpoint(context)) return next.handle();
    return next
      .handle()
      .pipe(map((data: unknown) => (data instanceof StreamableFile ? data : { data })));
  }
}
