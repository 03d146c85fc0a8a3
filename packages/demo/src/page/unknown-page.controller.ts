import { Controller, Get, UseFilters } from '@nestjs/common';
import { AppError, Public } from '@deal-sets/service';
import { PageErrorFilter } from '../web-forms/page-error.filter.js';

/** Addresses that no other controller serves. */
@Controller()
@Public()
@UseFilters(PageErrorFilter)
export class UnknownPageController {
  /** @throws {AppError} `not_found`, which a browser sees as a page. */
  @Get('*')
  notFound(): never {
    throw new AppError('not_found');
  }
}
