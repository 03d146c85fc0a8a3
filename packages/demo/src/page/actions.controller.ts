import { Controller, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { AppError, Public } from 'deal-sets';
import type { FastifyRequest } from 'fastify';
import { BuyerSessions } from '../sign-in/buyer-sessions.js';
import { formBody } from '../web-forms/form-body.js';
import { OwnOriginGuard } from '../web-forms/own-origin.guard.js';
import { PageAssistant } from './page-assistant.js';
import { WorldActions, type ActionResult } from './world-actions.js';

/** The control strip: what a press on a button changes. It takes the page's own origin and her session. */
@Controller('page/actions')
@Public()
@UseGuards(OwnOriginGuard)
export class ActionsController {
  constructor(
    private readonly sessions: BuyerSessions,
    private readonly assistant: PageAssistant,
    private readonly world: WorldActions,
  ) {}

  @Post(':action')
  @HttpCode(200)
  async run(
    @Param('action') action: string,
    @Req() { raw }: FastifyRequest,
  ): Promise<ActionResult> {
    const form = await formBody(raw);
    const buyer = await this.sessions.buyerOf(raw);
    if (!buyer) throw new AppError('unauthenticated');
    if (action === 'revoke') return this.#revoke(buyer.id);
    const isApproved = await this.assistant.isApproved(buyer.id);
    const target = { buyerId: buyer.id, dealSetId: form.get('dealSetId') ?? '', isApproved };
    const result = await this.world.run(action, target);
    if (!result) throw new AppError('not_found');
    return result;
  }

  async #revoke(buyerId: string): Promise<ActionResult> {
    const isDone = await this.assistant.revoke(buyerId);
    const { name } = this.assistant;
    return {
      isDone,
      message: isDone
        ? `She took the approval of ${name} back. Its next call is refused.`
        : `${name} has no approval to take back.`,
    };
  }
}
