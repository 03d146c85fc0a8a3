import {
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { AppError, Settings } from '@deal-sets/service';
import { Public } from '@deal-sets/service/standalone';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackAddress } from '../authorization/provider-configuration.js';
import {
  BuyerSessions,
  DEMO_BUYERS,
  firstNameOf,
  type DemoBuyer,
} from '../sign-in/buyer-sessions.js';
import { formBody } from '../web-forms/form-body.js';
import { OwnOriginGuard } from '../web-forms/own-origin.guard.js';
import { PageErrorFilter } from '../web-forms/page-error.filter.js';
import { markup, sendPage } from '../web-forms/send-page.js';
import { PageAssistant } from './page-assistant.js';
import { PAGE_POLICY, PageFiles } from './page-files.js';
import { WorldActions, type ActionResult } from './world-actions.js';

/** The data that the page needs before it reads the API. */
interface PageState {
  readonly buyer: DemoBuyer | null;
  readonly buyers: readonly DemoBuyer[];
  readonly assistant: {
    readonly name: string;
    readonly accessToken: string | null;
    /** Whether the buyer approved the assistant and then revoked the approval. */
    readonly isRevoked: boolean;
  };
}

/** Serves the page at `/`. */
@Controller()
@Public()
@UseFilters(PageErrorFilter)
export class HomeController {
  readonly #url: URL;

  constructor(
    private readonly files: PageFiles,
    { publicUrl = '' }: Settings,
  ) {
    this.#url = new URL(publicUrl);
  }

  /**
   * Returns the page. A request to another name of this machine is redirected to the demo's own
   * host, because the demo's cookies and forms work only there.
   *
   * @throws {AppError} `forbidden` for any host that is not this machine, because a web page may
   *   have pointed its own host name at this machine.
   */
  @Get()
  index(
    @Req() { headers: { host = '' } }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string {
    if (host !== this.#url.host) {
      if (!isLoopbackAddress(`http://${host}`)) throw new AppError('forbidden');
      void reply.redirect(this.#url.href, 302);
      return '';
    }
    void reply
      .header('Content-Security-Policy', PAGE_POLICY)
      // With `no-referrer`, a browser would send no origin with a form.
      .header('Referrer-Policy', 'same-origin');
    return this.files.send('index.html', reply);
  }
}

/**
 * Serves the files of the page and the sign-in state, requests approval for the page's assistant,
 * and runs the actions of the buttons.
 */
@Controller()
@Public()
@UseGuards(OwnOriginGuard)
@UseFilters(PageErrorFilter)
export class PageController {
  constructor(
    private readonly files: PageFiles,
    private readonly sessions: BuyerSessions,
    private readonly assistant: PageAssistant,
    private readonly world: WorldActions,
  ) {}

  @Get('page/:name')
  file(@Param('name') name: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    return this.files.send(name, reply);
  }

  @Get('page/:package/:name')
  fileOfPackage(
    @Param('package') from: string,
    @Param('name') name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string {
    return this.files.send(`${from}/${name}`, reply);
  }

  @Get('page/state')
  async state(@Req() { raw }: FastifyRequest): Promise<PageState> {
    const buyer = (await this.sessions.buyerOf(raw)) ?? null;
    const { name } = this.assistant;
    const accessToken = buyer && (await this.assistant.tokenOf(buyer.id));
    const isRevoked = buyer !== null && (await this.assistant.isRevoked(buyer.id));
    return { buyer, buyers: DEMO_BUYERS, assistant: { name, accessToken, isRevoked } };
  }

  /** Redirects the buyer to the approval page on behalf of the page's assistant. */
  @Get('page/connect')
  async connect(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const buyer = await this.sessions.buyerOf(raw);
    return reply.redirect(buyer ? this.assistant.authorize(buyer.id) : '/', 303);
  }

  /** Handles the redirect that ends an authorization request of the page's assistant. */
  @Get('callback')
  async finish(
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() { raw }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    if (query['error'] === 'access_denied') {
      return sendPage(reply, {
        title: `You declined ${this.assistant.name}’s request`,
        body: markup`<p>${this.assistant.name} was not approved and gets none of your data.</p>`,
      });
    }
    const buyer = await this.sessions.buyerOf(raw);
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    await this.assistant.finish(buyer?.id, text(query['state']), text(query['code']));
    return reply.redirect('/', 303);
  }

  /** Runs the action of a button in the control strip. */
  @Post('page/actions/:action')
  @HttpCode(200)
  async run(
    @Param('action') action: string,
    @Req() { raw }: FastifyRequest,
  ): Promise<ActionResult> {
    const fields = await formBody(raw);
    const buyer = await this.sessions.buyerOf(raw);
    if (!buyer) throw new AppError('unauthenticated');
    if (action === 'revoke') return this.#revoke(buyer);
    const target = { buyerId: buyer.id, dealSetId: fields.get('dealSetId') ?? '' };
    const result = await this.world.run(action, target);
    if (!result) throw new AppError('not_found');
    return result;
  }

  async #revoke(buyer: DemoBuyer): Promise<ActionResult> {
    const isDone = await this.assistant.revoke(buyer.id);
    const { name } = this.assistant;
    return {
      isDone,
      message: isDone
        ? `${firstNameOf(buyer.id)} revoked the approval. The next call of ${name} fails with 401.`
        : `${name} is not approved, so there is nothing to revoke.`,
    };
  }
}
