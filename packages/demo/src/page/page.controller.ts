import { Controller, Get, Header } from '@nestjs/common';
import { Public } from 'deal-sets';

const INDEX = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Deal Sets</title></head>
<body><h1>Deal Sets</h1><p>The demo is running.</p></body>
</html>
`;

@Controller()
@Public()
export class PageController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  index(): string {
    return INDEX;
  }
}
