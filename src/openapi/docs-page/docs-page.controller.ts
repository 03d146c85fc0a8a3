import { Controller, Get, Res, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Settings } from '../../config/settings.js';
import { EndpointRegistry } from '../../http/endpoint-registry.js';
import { Public } from '../../http/endpoint.decorator.js';
import { OwnErrors } from '../../http/own-errors.js';
import { RateClasses } from '../../rate-limit/rate-classes.js';
import { docsPage, type DocsPage } from './docs-page.js';

/** Serves the documentation for people. It holds nothing of any buyer, so it needs no credential. */
@Controller('api/v1')
@Public()
export class DocsPageController implements OnApplicationBootstrap {
  #page: DocsPage | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly registry: EndpointRegistry,
    private readonly rateClasses: RateClasses,
    private readonly errors: OwnErrors,
  ) {}

  /** The declarations do not change while the service runs, so the page is made once. */
  onApplicationBootstrap(): void {
    this.#page = docsPage({
      settings: this.settings,
      endpoints: this.registry.endpoints,
      rateClassOf: (name) => this.rateClasses.find(name),
      errors: this.errors.all,
    });
  }

  @Get('docs')
  read(@Res({ passthrough: true }) reply: FastifyReply): string {
    if (!this.#page) throw new Error('the documentation page is made at the start');
    void reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', this.#page.contentSecurityPolicy)
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin');
    return this.#page.text;
  }
}
