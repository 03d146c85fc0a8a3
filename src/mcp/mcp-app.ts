import { readFile } from 'node:fs/promises';
import type { McpServer } from '@modelcontextprotocol/server';

/** The extension "MCP Apps" (SEP-1865), as the server declares it. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';
/** The media type of a document of the extension. */
const VIEW_TYPE = 'text/html;profile=mcp-app';
/** The address of the document that shows a deal set. */
const VIEW_URI = 'ui://deal-sets/deal-set.html';

/**
 * `_meta` of the tool whose results the document shows. Hosts of the extension's first versions
 * read the second key. Every client gets both: some hosts show documents without declaring the
 * extension, and the others ignore `_meta`.
 */
export const VIEW_META = {
  ui: { resourceUri: VIEW_URI },
  'ui/resourceUri': VIEW_URI,
} as const;

/** The file of the document. Only the build contains it, also if this module runs as a source. */
const FILE = new URL('../../dist/mcp/deal-set.html', import.meta.url);

let document: string | undefined;

/**
 * Serves the document as a resource. It is the same for all callers and contains no data: the
 * client passes the tool's result to it.
 *
 * @param onFailure receives the error if the document cannot be read.
 */
export function registerView(server: McpServer, onFailure: (error: unknown) => void): void {
  const metadata = {
    title: 'Offers of a deal set',
    description: 'Shows the ranked offers of a result of get_deal_set.',
    mimeType: VIEW_TYPE,
  };
  server.registerResource('deal-set', VIEW_URI, metadata, async () => {
    try {
      document ??= await readFile(FILE, 'utf8');
    } catch (error) {
      onFailure(error);
      throw error;
    }
    // `_meta.ui.csp` lists no origins, so the client allows none.
    const _meta = { ui: { csp: {}, prefersBorder: true } };
    return { contents: [{ uri: VIEW_URI, mimeType: VIEW_TYPE, text: document, _meta }] };
  });
}
