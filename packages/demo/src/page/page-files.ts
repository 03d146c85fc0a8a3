import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '@deal-sets/service';
import type { FastifyReply } from 'fastify';

const DEMO = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = path.join(DEMO, 'web');
const MODULES = path.join(DEMO, 'dist/web');
const CLIENT = path.join(DEMO, '../client/dist');
/** The view for MCP clients, whose rows the page shows too. */
const VIEW = path.join(DEMO, '../mcp-app/web');
const SHARED = path.join(DEMO, 'dist/web/mcp-app');

/**
 * The import map, which maps the names by which the page's modules import other packages to their
 * files. It is part of the HTML, because browsers do not load an import map from a file.
 */
const IMPORT_MAP = JSON.stringify({
  imports: {
    '@deal-sets/client': '/page/client/index.js',
    '@deal-sets/mcp-app/': '/page/mcp-app/',
  },
});
const IMPORT_MAP_HASH = createHash('sha256').update(IMPORT_MAP).digest('base64');

/**
 * The page's Content Security Policy: nothing from other origins, and no scripts other than the
 * page's own files and the import map.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${IMPORT_MAP_HASH}'`,
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface PageFile {
  readonly type: string;
  readonly text: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
};

/** The page's files, read once at the start. No other file can be requested. */
@Injectable()
export class PageFiles implements OnModuleInit {
  readonly #files = new Map<string, PageFile>();

  /** @throws {Error} when the page or the client has not been built. */
  onModuleInit(): void {
    this.#add('index.html', SOURCES);
    this.#add('icon.svg', SOURCES);
    for (const name of namesIn(SOURCES, '.css')) this.#add(name, SOURCES);
    this.#add('offer-row.css', VIEW);
    for (const name of namesIn(MODULES, '.js')) this.#add(name, MODULES);
    for (const name of namesIn(CLIENT, '.js')) this.#add(name, CLIENT, 'client/');
    for (const name of namesIn(SHARED, '.js')) this.#add(name, SHARED, 'mcp-app/');
  }

  /**
   * Sets the response's media type to that of the file.
   *
   * @returns the file's text.
   * @throws {AppError} `not_found` if the page has no such file.
   */
  send(name: string, reply: FastifyReply): string {
    const file = this.#files.get(name);
    if (!file) throw new AppError('not_found');
    void reply.header('Content-Type', file.type);
    return file.text;
  }

  #add(name: string, directory: string, prefix = ''): void {
    const text = readFileSync(path.join(directory, name), 'utf8')
      // The source maps are not served.
      .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
      .replace('<!--importmap-->', `<script type="importmap">${IMPORT_MAP}</script>`);
    this.#files.set(prefix + name, { text, type: TYPES[path.extname(name)] ?? 'text/plain' });
  }
}

function namesIn(directory: string, ending: string): string[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (cause) {
    throw new Error(`The page is not built (${directory}): run \`npm run demo\``, { cause });
  }
  return names.filter((name) => name.endsWith(ending));
}
