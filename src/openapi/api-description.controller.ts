import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../http/endpoint-policy.js';
import { ApiDescription } from './api-description.js';

/** The API description for programs. It holds nothing of any buyer, so it needs no credential. */
@Controller('api/v1')
export class ApiDescriptionController {
  constructor(private readonly description: ApiDescription) {}

  @Get('openapi.json')
  @Public()
  @Header('content-type', 'application/json; charset=utf-8')
  document(): string {
    return this.description.json;
  }
}
