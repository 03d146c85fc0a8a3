import { Controller, Get, Req, Res } from '@nestjs/common';
import { AppError, Public, Settings } from 'deal-sets';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackAddress } from '../authorization/loopback-address.js';
import { PAGE_POLICY, PageFiles } from './page-files.js';

/** The page at `/`. */
@Controller()
@Public()
export class HomeController {
  readonly #url: URL;

  constructor(
    private readonly files: PageFiles,
    { publicUrl = '' }: Settings,
  ) {
    this.#url = new URL(publicUrl);
  }

  /**
   * Another name of this machine leads to the demo's own, which its cookies and forms belong to.
   *
   * @throws {AppError} `forbidden` under any other name: some web page made it lead here.
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
      // With `no-referrer` a browser would send no origin with the forms.
      .header('Referrer-Policy', 'same-origin');
    return this.files.send('index.html', reply);
  }
}
