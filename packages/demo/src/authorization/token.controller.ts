import { createHash, timingSafeEqual } from 'node:crypto';
import { Controller, Post, Req, UseGuards } from '@nestjs/common';
import { AppError, Public } from 'deal-sets';
import { demoTokenRequest } from 'deal-sets/demo';
import type { FastifyRequest } from 'fastify';
import { formBody } from '../web-forms/form-body.js';
import { OwnHostGuard } from '../web-forms/own-host.guard.js';
import { AuthorizationServer } from './authorization-server.js';

/** What a caller must know: it is in a file that only the demo's owner can read. */
export class TokenSecret {
  constructor(readonly value: string) {}
}

/** Gives `deal-sets token` a token without an approval page. */
@Controller('demo/token')
@Public()
@UseGuards(OwnHostGuard)
export class TokenController {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly secret: TokenSecret,
  ) {}

  @Post()
  async issue(@Req() { raw }: FastifyRequest): Promise<{ readonly access_token: string }> {
    if (!isSame(raw.headers.authorization ?? '', `Bearer ${this.secret.value}`)) {
      throw new AppError('forbidden');
    }
    const asked = demoTokenRequest(await formBody(raw));
    if (!asked) throw new AppError('invalid_request');
    return { access_token: await this.server.issueToken(asked) };
  }
}

function isSame(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
