import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import {
  Catch,
  HttpException,
  Module,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENTITIES } from '../../../src/database/entities.js';
import { RequestFeed } from './request-feed.entity.js';
import { rowTypes } from '../../../src/database/row-types.js';
import { WORDS, type Refusal } from '../server-b/answers.js';
import { RequestsController } from './requests.controller.js';
import { RequestsService } from './requests.service.js';
import { JwtStrategy, SignInGuard } from './sign-in.js';

// The way most teams would write it: Nest on Express, entities with their relations, classes for the
// answers, passport-jwt with a key in PEM form, the throttler as it comes.

const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: 'invalid_request',
  401: 'unauthenticated',
  403: 'insufficient_scope',
  404: 'not_found',
  429: 'rate_limited',
};

interface Response {
  setHeader(name: string, value: string): void;
  status(code: number): { json(body: unknown): void };
}

@Catch()
class EnvelopeFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : 503;
    if (status === 503) console.error(error);
    const refusal = WORDS[REFUSALS[status] ?? 'unavailable'];
    const response = host.switchToHttp().getResponse<Response>();
    if (refusal.challenge) response.setHeader('WWW-Authenticate', refusal.challenge);
    response.status(refusal.status).json(JSON.parse(refusal.body));
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env['DATABASE_URL'] ?? '',
      entities: [...ENTITIES, RequestFeed],
      poolSize: Number(process.env['DATABASE_POOL_SIZE'] ?? 10),
      installExtensions: false,
      extra: { types: rowTypes },
    }),
    TypeOrmModule.forFeature([...ENTITIES, RequestFeed]),
    PassportModule,
    ThrottlerModule.forRoot([
      { ttl: 60_000, limit: Number(process.env['READ_RATE_LIMIT'] ?? 120) },
    ]),
  ],
  controllers: [RequestsController],
  providers: [RequestsService, JwtStrategy, SignInGuard],
})
class ServerModule {}

const app = await NestFactory.create<NestExpressApplication>(ServerModule);
app.useLogger(['error']);
app.use((_request: unknown, response: Response, next: () => void) => {
  response.setHeader('Cache-Control', 'private, no-store');
  response.setHeader('Service-API-Version', '2026-10-13');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Service-Request-Id', randomUUID());
  next();
});
app.useGlobalFilters(new EnvelopeFilter());
app.enableShutdownHooks();
await app.listen(Number(process.env['PORT']), process.env['HOST'] ?? '127.0.0.1');
