import { Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { AppError, Public } from 'deal-sets';
import type { AssistantGrant } from 'deal-sets/entities';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationServer } from '../authorization/authorization-server.js';
import { BuyerSessions } from '../sign-in/buyer-sessions.js';
import { signInForm } from '../sign-in/sign-in.controller.js';
import { formBody } from '../web-forms/form-body.js';
import { type Html, markup } from '../web-forms/html.js';
import { OwnOriginGuard } from '../web-forms/own-origin.guard.js';
import { sendPage } from '../web-forms/send-page.js';
import { ApprovedGrants } from './approved-grants.js';
import { Approvals } from './approvals.js';
import { assistantName } from './assistant-name.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Lists the assistants that the buyer approved, each with a way to revoke it. */
@Controller('approvals')
@Public()
@UseGuards(OwnOriginGuard)
export class ApprovalsController {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly sessions: BuyerSessions,
    private readonly approvals: Approvals,
    private readonly grants: ApprovedGrants,
  ) {}

  @Get()
  async list(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const buyer = await this.sessions.buyerOf(raw);
    if (!buyer) {
      return sendPage(reply, { title: 'Sign in', body: signInForm('/approvals') });
    }
    const live = await this.approvals.liveOf(buyer.id);
    const rows = await Promise.all(live.map((grant) => this.#row(grant)));
    return sendPage(reply, {
      title: 'Assistants that may read your requests',
      body: markup`<p>You are signed in as <strong>${buyer.name}</strong>.</p>
        ${rows.length === 0 ? markup`<p>None.</p>` : rows}
        <form class="row" method="post" action="/sign-out"><button>Sign out</button></form>`,
    });
  }

  @Post('revoke')
  async revoke(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const form = await formBody(raw);
    const buyer = await this.sessions.buyerOf(raw);
    const id = form.get('id') ?? '';
    if (!UUID.test(id)) throw new AppError('invalid_request');
    // Signed out meanwhile: the page asks who it is.
    if (buyer) await this.grants.revoke(buyer.id, id);
    return reply.redirect('/approvals', 303);
  }

  async #row({ id, clientId, grantedAt, isHosted }: AssistantGrant): Promise<Html> {
    const client = await this.server.provider.Client.find(clientId).catch(() => undefined);
    return markup`<section class="approval">
      <p>
        <strong>${assistantName(client?.clientName, clientId)}</strong><br />
        <span class="note"
          ><code>${clientId}</code>, ${isHosted ? 'on a server elsewhere' : 'on this machine'},
          approved ${grantedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC</span
        >
      </p>
      <form class="row" method="post" action="/approvals/revoke">
        <input type="hidden" name="id" value="${id}" /><button>Take the approval back</button>
      </form>
    </section>`;
  }
}
