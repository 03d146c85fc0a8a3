import { Controller, Get, Post, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { AppError } from '@deal-sets/service';
import { Public } from '@deal-sets/service/standalone';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DemoWorld } from '../open-demo.js';
import { formBody } from '../web-forms/form-body.js';
import { OwnOriginGuard } from '../web-forms/own-origin.guard.js';
import { PageErrorFilter } from '../web-forms/page-error.filter.js';
import { type Html, markup, sendPage } from '../web-forms/send-page.js';
import { BuyerSessions, DEMO_BUYERS } from './buyer-sessions.js';

/** The pages to which a sign-in may redirect. Every other target becomes `/`. */
const OWN_PAGES = /^\/(\?request=[\w-]{1,64}|approve\/[\w-]{1,64}|approvals)?$/;

/** Serves the sign-in page, where the visitor chooses a buyer of the demo. */
@Controller()
@Public()
@UseGuards(OwnOriginGuard)
@UseFilters(PageErrorFilter)
export class SignInController {
  constructor(
    private readonly sessions: BuyerSessions,
    private readonly world: DemoWorld,
  ) {}

  @Get('sign-in')
  ask(@Query('to') to: unknown, @Res() reply: FastifyReply): FastifyReply {
    return sendPage(reply, { title: 'Sign in', body: signInForm(ownPage(to)) });
  }

  @Post('sign-in')
  async signIn(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const fields = await formBody(raw);
    const buyer = DEMO_BUYERS.find(({ id }) => id === fields.get('buyer'));
    if (!buyer) throw new AppError('invalid_request');
    await this.world.restoreIfMissing(buyer.id);
    const cookie = await this.sessions.signIn(buyer);
    return reply.header('Set-Cookie', cookie).redirect(ownPage(fields.get('to')), 303);
  }

  @Post('sign-out')
  async signOut(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const cookie = await this.sessions.signOut(raw);
    return reply.header('Set-Cookie', cookie).redirect('/', 303);
  }
}

/**
 * Builds the form on which a visitor chooses a buyer. It takes the place of a real website's login
 * form.
 */
export function signInForm(to: string): Html {
  return markup`<p>This demo has two buyers. Who are you?</p>
    <form class="row" method="post" action="/sign-in">
      <input type="hidden" name="to" value="${to}" />
      ${DEMO_BUYERS.map(({ id, name }) => markup`<button name="buyer" value="${id}">Sign in as ${name}</button> `)}
    </form>`;
}

function ownPage(to: unknown): string {
  return typeof to === 'string' && OWN_PAGES.test(to) ? to : '/';
}
