import {
  BadRequestException,
  Controller,
  Get,
  NotFoundException,
  Param,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import { instanceToPlain } from 'class-transformer';
import { parseIsoTime } from '../../../src/kernel/iso-time.js';
import { RequestsService } from './requests.service.js';
import { SignInGuard, type User } from './sign-in.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Reply {
  setHeader(name: string, value: string): void;
}

@Controller('api/v1/deal-sets')
@UseGuards(SignInGuard, ThrottlerGuard)
export class RequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Get()
  async list(
    @Req() { user }: { user: User },
    @Query('since') since: string | undefined,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<unknown> {
    const sinceMs = since === undefined ? null : parseIsoTime(since);
    if (since !== undefined && sinceMs === null) throw new BadRequestException();
    const { entries, hasMore, asOf } =
      sinceMs === null
        ? await this.requests.active(user)
        : await this.requests.changedSince(user, new Date(sinceMs));
    reply.setHeader('Service-More', String(hasMore));
    if (asOf) reply.setHeader('Service-As-Of', asOf.toISOString());
    return { data: instanceToPlain(entries, { groups: [user.type] }) };
  }

  @Get(':id')
  async one(@Req() { user }: { user: User }, @Param('id') id: string): Promise<unknown> {
    if (!UUID.test(id)) throw new NotFoundException();
    const set = await this.requests.one(user, id);
    return { data: instanceToPlain(set, { groups: [user.type] }) };
  }
}
