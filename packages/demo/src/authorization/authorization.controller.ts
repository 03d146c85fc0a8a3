import { All, Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { Public } from 'deal-sets';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OwnHostGuard } from '../web-forms/own-host.guard.js';
import { AuthorizationServer } from './authorization-server.js';

/** Hands the addresses of the protocol to the authorization server. */
@Controller()
@Public()
@UseGuards(OwnHostGuard)
export class AuthorizationController {
  constructor(private readonly server: AuthorizationServer) {}

  @All('oauth/*')
  async answer(@Req() { raw, body }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    // JSON is read by now.
    if (body !== undefined) Object.assign(raw, { body });
    await this.server.answer(raw, reply.raw);
  }

  /** RFC 8414, and the address that clients of OpenID Connect try. */
  @Get(['.well-known/oauth-authorization-server', '.well-known/openid-configuration'])
  async describe(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    await this.server.answer(raw, reply.raw);
  }
}
