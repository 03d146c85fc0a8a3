import { Controller, Get, Query, Req, Res, UseGuards } from '@nestjs/common';
import { Public } from 'deal-sets';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BuyerSessions } from '../sign-in/buyer-sessions.js';
import { markup } from '../web-forms/html.js';
import { OwnOriginGuard } from '../web-forms/own-origin.guard.js';
import { sendPage } from '../web-forms/send-page.js';
import { PageAssistant } from './page-assistant.js';

/** Leads the buyer to the approval page on behalf of the page's assistant, and back. */
@Controller()
@Public()
@UseGuards(OwnOriginGuard)
export class ConnectController {
  constructor(
    private readonly sessions: BuyerSessions,
    private readonly assistant: PageAssistant,
  ) {}

  @Get('page/connect')
  async connect(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const buyer = await this.sessions.buyerOf(raw);
    return reply.redirect(buyer ? this.assistant.authorize(buyer.id) : '/', 303);
  }

  @Get('callback')
  async finish(
    @Query('state') state: unknown,
    @Query('code') code: unknown,
    @Query('error') error: unknown,
    @Req() { raw }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    if (error === 'access_denied') {
      return sendPage(reply, {
        title: 'You refused',
        body: markup`<p>${this.assistant.name} was not approved and reads nothing.</p>`,
      });
    }
    const buyer = await this.sessions.buyerOf(raw);
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    await this.assistant.finish(buyer?.id, text(state), text(code));
    return reply.redirect('/', 303);
  }
}
