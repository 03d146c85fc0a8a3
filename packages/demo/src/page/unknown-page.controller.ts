import { Controller, Get, UseFilters } from '@nestjs/common';
import { AppError } from '@deal-sets/service';
import { Public } from '@deal-sets/service/standalone';
import { PageErrorFilter } from '../web-forms/page-error.filter.js';

/** Handles addresses that no other controller serves. */
@Controller()
@Public()
@UseFilters(PageErrorFilter)
export class UnknownPageController {
  /** @throws {AppError} `not_found`, which a browser receives as a page. */
  @Get('*')
  notFound(): never {
    throw new AppError('not_found');
  }
}
