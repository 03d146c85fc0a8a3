import { Controller, Get, Param, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { AppError } from '@deal-sets/service';
import { Public, READ_SCOPE } from '@deal-sets/service/standalone';
import type { AssistantGrant } from '@deal-sets/service/entities';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationServer } from '../authorization/authorization-server.js';
import { isLoopbackAddress } from '../authorization/provider-configuration.js';
import { DEMO_CLIENT_NAMES } from '../demo-world/demo-people.js';
import { BuyerSessions } from '../sign-in/buyer-sessions.js';
import { signInForm } from '../sign-in/sign-in.controller.js';
import { formBody } from '../web-forms/form-body.js';
import { OwnOriginGuard } from '../web-forms/own-origin.guard.js';
import { PageErrorFilter } from '../web-forms/page-error.filter.js';
import { type Html, markup, sendPage } from '../web-forms/send-page.js';
import { approvalPage, placeOf, type Asking } from './approval-page.js';
import { Approvals } from './approvals.js';
import { assistantName } from './assistant-name.js';
import { ConsentExamples } from './consent-example.js';

/** Matches a scheme, with or without a host, that the Content Security Policy may contain. */
const POLICY_SOURCE = /^[a-z][a-z0-9+.-]*:(\/\/[a-z0-9.-]+(:\d+)?|\/\/\[[0-9a-f:]+\](:\d+)?)?$/;

const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Serves the page that an authorization request leads to, and the list of approvals. */
@Controller()
@Public()
@UseGuards(OwnOriginGuard)
@UseFilters(PageErrorFilter)
export class ApprovalController {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly sessions: BuyerSessions,
    private readonly approvals: Approvals,
    private readonly examples: ConsentExamples,
  ) {}

  @Get('approve/:uid')
  async ask(
    @Param('uid') uid: string,
    @Req() { raw }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const asking = await this.#asking(uid, raw, reply);
    if (!asking) return expired(reply);
    const buyer = await this.sessions.buyerOf(raw);
    if (!buyer) {
      return sendPage(reply, {
        title: `Sign in to answer ${asking.name}`,
        body: signInForm(`/approve/${uid}`),
      });
    }
    return sendPage(reply, {
      title: `Let ${asking.name} read your requests?`,
      body: approvalPage(uid, buyer, asking, await this.examples.forBuyer(buyer.id, asking)),
      // The response redirects to the assistant, and browsers apply a form's policy to redirects.
      formTarget: policySource(asking.redirectUri),
    });
  }

  @Post('approve/:uid')
  async answer(
    @Param('uid') uid: string,
    @Req() { raw }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<unknown> {
    const fields = await formBody(raw);
    const asking = await this.#asking(uid, raw, reply);
    if (!asking) return expired(reply);
    const buyer = await this.sessions.buyerOf(raw);
    // If the buyer has signed out or someone else has signed in since the page was shown, show the
    // page again.
    if (!buyer || buyer.id !== fields.get('buyer')) return reply.redirect(`/approve/${uid}`, 303);
    const { provider } = this.server;
    if (fields.get('answer') !== 'approve') {
      reply.hijack();
      return provider.interactionFinished(raw, reply.raw, {
        error: 'access_denied',
        error_description: 'the buyer declined',
      });
    }
    const grantId = await this.approvals.approve({
      buyerId: buyer.id,
      clientId: asking.clientId,
      isHosted: asking.isHosted,
      resources: asking.resources,
      scope: asking.scope,
    });
    reply.hijack();
    return provider.interactionFinished(raw, reply.raw, {
      login: { accountId: buyer.id },
      consent: { grantId },
    });
  }

  /** Lists the assistants that the buyer approved, each with a button to revoke the approval. */
  @Get('approvals')
  async list(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const buyer = await this.sessions.buyerOf(raw);
    if (!buyer) return sendPage(reply, { title: 'Sign in', body: signInForm('/approvals') });
    const live = await this.approvals.liveOf(buyer.id);
    const rows = await Promise.all(live.map((grant) => this.#row(grant)));
    return sendPage(reply, {
      title: 'Assistants you have approved',
      body: markup`<p>You are signed in as <strong>${buyer.name}</strong>.</p>
        ${rows.length === 0 ? markup`<p>You have not approved any assistant.</p>` : rows}
        <form class="row" method="post" action="/sign-out"><button>Sign out</button></form>`,
    });
  }

  @Post('approvals/revoke')
  async revoke(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const fields = await formBody(raw);
    const buyer = await this.sessions.buyerOf(raw);
    const id = fields.get('id') ?? '';
    if (!UUID.test(id)) throw new AppError('invalid_request');
    // Without a session, skip the revocation; `/approvals` then shows the sign-in form.
    if (buyer) await this.approvals.revoke(buyer.id, id);
    return reply.redirect('/approvals', 303);
  }

  async #row({
    id,
    clientId,
    grantedAt,
    expiresAt,
    isHosted,
    scopes,
  }: AssistantGrant): Promise<Html> {
    const client = await this.server.provider.Client.find(clientId).catch(() => undefined);
    const name = assistantName(client?.clientName ?? DEMO_CLIENT_NAMES[clientId], clientId);
    // An assistant without a name is already shown by its id.
    const shownId = name === clientId ? markup`` : markup`<code>${clientId}</code>, `;
    const until = expiresAt ? `, until ${DATE.format(expiresAt)}` : '';
    return markup`<section class="approval">
      <p>
        <strong>${name}</strong><br />
        ${mayRead(scopes, isHosted)}<br />
        <span class="note"
          >${shownId}${isHosted ? 'on a server elsewhere' : 'on this computer'}, approved
          ${DATE.format(grantedAt)}${until}</span
        >
      </p>
      <form class="row" method="post" action="/approvals/revoke">
        <input type="hidden" name="id" value="${id}" /><button>Revoke</button>
      </form>
    </section>`;
  }

  /**
   * Returns the authorization request that the browser's cookie identifies, or undefined if there
   * is none or if the page belongs to another request.
   */
  async #asking(
    uid: string,
    raw: FastifyRequest['raw'],
    reply: FastifyReply,
  ): Promise<(Asking & { scope: string; resources: readonly string[] }) | undefined> {
    const { provider } = this.server;
    const interaction = await provider.interactionDetails(raw, reply.raw).catch(() => undefined);
    if (interaction?.uid !== uid) return undefined;
    const { params } = interaction;
    const clientId = String(params['client_id']);
    const client = await provider.Client.find(clientId);
    if (!client) return undefined;
    const { resource, scope } = params;
    return {
      clientId,
      name: assistantName(client.clientName, clientId),
      redirectUri: String(params['redirect_uri']),
      isHosted: !(client.redirectUris ?? []).every(isLoopbackAddress),
      scope: typeof scope === 'string' ? scope : '',
      resources: (Array.isArray(resource) ? resource : [resource]).map(String),
    };
  }
}

/** Describes what an assistant may read. */
function mayRead(scopes: readonly string[], isHosted: boolean): string {
  if (!scopes.includes(READ_SCOPE)) return 'It cannot read your price requests.';
  const withoutFlag = isHosted ? ', but not which dealerships are Verified partners' : '';
  return `It reads your price requests: the cars, the prices and the status of each${withoutFlag}.`;
}

function expired(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    status: 400,
    title: 'This approval request has expired',
    body: markup`<p>It was already answered, took too long, or was started in another browser.</p>
      <p>Go back to your assistant and connect again.</p>`,
  });
}

function policySource(address: string): string | undefined {
  const source = placeOf(address);
  return POLICY_SOURCE.test(source) ? source : undefined;
}
