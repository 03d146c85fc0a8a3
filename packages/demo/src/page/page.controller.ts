import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { Public } from 'deal-sets';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BuyerSessions, DEMO_BUYERS, type DemoBuyer } from '../sign-in/buyer-sessions.js';
import { OwnOriginGuard } from '../web-forms/own-origin.guard.js';
import { PageFiles } from './page-files.js';
import { PageAssistant } from './page-assistant.js';

/** What the page needs to know before it reads the API. */
interface PageState {
  readonly buyer: DemoBuyer | null;
  readonly buyers: readonly DemoBuyer[];
  readonly assistant: { readonly name: string; readonly accessToken: string | null };
}

/** The files of the page at `/`, and who is here. */
@Controller()
@Public()
@UseGuards(OwnOriginGuard)
export class PageController {
  constructor(
    private readonly files: PageFiles,
    private readonly sessions: BuyerSessions,
    private readonly assistant: PageAssistant,
  ) {}

  @Get('page/:name')
  file(@Param('name') name: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    return this.files.send(name, reply);
  }

  @Get('page/client/:name')
  clientFile(@Param('name') name: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    return this.files.send(`client/${name}`, reply);
  }

  @Get('page/state')
  async state(@Req() { raw }: FastifyRequest): Promise<PageState> {
    const buyer = (await this.sessions.buyerOf(raw)) ?? null;
    const { name } = this.assistant;
    const accessToken = buyer && (await this.assistant.tokenOf(buyer.id));
    return { buyer, buyers: DEMO_BUYERS, assistant: { name, accessToken } };
  }
}
