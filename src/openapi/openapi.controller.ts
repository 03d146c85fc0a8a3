import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Settings } from '../config/settings.js';
import { Public } from '../http/endpoint.decorator.js';
import { EndpointRegistry } from '../http/endpoint-registry.js';
import { OwnErrors } from '../http/own-errors.js';
import type { JsonSchema } from '../response-shape/field.js';
import { RateClasses } from '../rate-limit/rate-classes.js';
import { openApiDocument } from './openapi-document.js';

/** Serves the API's own description. It holds nothing of any buyer, so it needs no credential. */
@Controller('api/v1')
@Public()
export class OpenApiController {
  #text: string | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly registry: EndpointRegistry,
    private readonly rateClasses: RateClasses,
    private readonly errors: OwnErrors,
  ) {}

  @Get('openapi.json')
  document(@Res({ passthrough: true }) reply: FastifyReply): string {
    this.#text ??= JSON.stringify(this.describe(this.settings));
    void reply.header('content-type', 'application/json; charset=utf-8');
    return this.#text;
  }

  /** The description of this application's endpoints under other settings, for tests and tools. */
  describe(settings: Settings): JsonSchema {
    return openApiDocument({
      settings,
      endpoints: this.registry.endpoints,
      rateClassOf: (name) => this.rateClasses.find(name),
      errors: this.errors.all,
    });
  }
}
