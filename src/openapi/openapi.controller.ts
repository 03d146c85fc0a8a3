import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/access.decorator.js';
import { Settings } from '../config/settings.js';
import { openApiDocument } from './openapi-document.js';

/** Serves the API's own description. It tells nothing of any buyer, so it asks for no credential. */
@Controller('api/v1')
@Public()
export class OpenApiController {
  #document: string | undefined;

  constructor(private readonly settings: Settings) {}

  @Get('openapi.json')
  document(@Res({ passthrough: true }) reply: FastifyReply): string {
    this.#document ??= JSON.stringify(openApiDocument(this.settings));
    void reply.header('content-type', 'application/json; charset=utf-8');
    return this.#document;
  }
}
