import type { Settings } from './settings.js';

/** Path of the MCP endpoint. */
export const MCP_PATH = '/mcp';

/** The audiences of access tokens that open `/mcp`; none when it is not served. */
export function mcpAudiences({
  hasMcp,
  publicUrl,
}: Pick<Settings, 'hasMcp' | 'publicUrl'>): readonly string[] {
  return hasMcp && publicUrl !== undefined ? [publicUrl, publicUrl + MCP_PATH] : [];
}
