import { Module } from '@nestjs/common';
import { PageController } from './page.controller.js';

/** The web page at `/`. */
@Module({ controllers: [PageController] })
export class PageModule {}
