import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import {
  Catch,
  Controller,
  Get,
  HttpException,
  Module,
  NotFoundException,
  Param,
  Req,
  Res,
  UseGuards,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { instanceToPlain } from 'class-transformer';
import { ENTITIES } from '../../src/database/entities.js';
import { rowTypes } from '../../src/database/row-types.js';
import { CONTRACT_HEADERS } from '../../src/http/context/contract-headers.js';
import { parseUuid } from '../../src/kernel/uuid.js';
import { rejectionOf, type Rejection } from '../rejections.js';
import { RequestFeed, RequestsService } from './requests.service.js';
import { JwtStrategy, SignInGuard, type User } from './sign-in.js';

// The service as most developers would write it: Nest on Express, entities with relations, response
// classes, passport-jwt with a PEM key, and the throttler with its defaults. It has no feed.

interface Response {
  setHeader(name: string, value: string): void;
  status(code: number): { json(body: unknown): void };
}

@Controller('api/v1/deal-sets')
@UseGuards(SignInGuard, ThrottlerGuard)
class RequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Get()
  async list(
    @Req() { user }: { user: User },
    @Res({ passthrough: true }) reply: Pick<Response, 'setHeader'>,
  ): Promise<unknown> {
    const { entries, hasMore } = await this.requests.active(user);
    reply.setHeader('Service-More', String(hasMore));
    return { data: instanceToPlain(entries, { groups: [user.type] }) };
  }

  @Get(':id')
  async dealSet(@Req() { user }: { user: User }, @Param('id') idParam: string): Promise<unknown> {
    const id = parseUuid(idParam);
    if (id === undefined) throw new NotFoundException();
    const set = await this.requests.dealSet(user, id);
    return { data: instanceToPlain(set, { groups: [user.type] }) };
  }
}

const REJECTIONS: Readonly<Record<number, Rejection>> = {
  401: 'unauthenticated',
  403: 'insufficient_scope',
  404: 'not_found',
  429: 'rate_limited',
};

@Catch()
class EnvelopeFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const thrown = error instanceof HttpException ? error.getStatus() : 503;
    if (thrown === 503) process.stderr.write(`${String(error)}\n`);
    const { status, body, challenge } = rejectionOf(REJECTIONS[thrown] ?? 'unavailable');
    const response = host.switchToHttp().getResponse<Response>();
    if (challenge) response.setHeader('WWW-Authenticate', challenge);
    response.status(status).json(JSON.parse(body));
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
  for (const [name, value] of CONTRACT_HEADERS) response.setHeader(name, value);
  response.setHeader('Service-Request-Id', randomUUID());
  next();
});
app.useGlobalFilters(new EnvelopeFilter());
app.enableShutdownHooks();
await app.listen(Number(process.env['PORT']), process.env['HOST'] ?? '127.0.0.1');
