import type { Settings } from '../config/settings.js';

/** The path of the MCP endpoint, an OAuth protected resource of its own (RFC 9728). */
export const MCP_PATH = '/mcp';

/**
 * Returns the audiences of access tokens for `/mcp`: the two addresses that its metadata
 * advertises. `AUTH_AUDIENCE` has the audiences of the API alone.
 *
 * @returns nothing while `/mcp` is not served.
 */
export function mcpAudiences({
  hasMcp,
  publicUrl,
}: Pick<Settings, 'hasMcp' | 'publicUrl'>): readonly string[] {
  return hasMcp && publicUrl !== undefined ? [publicUrl, publicUrl + MCP_PATH] : [];
}
