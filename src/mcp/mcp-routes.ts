import { MCP_PATH } from '../auth/mcp-resource.js';
import { METADATA_PATH } from '../oauth-metadata/metadata-path.js';

/**
 * The paths of `DealSetsMcpModule`. Clients expect them at the root, so a host application with a
 * global prefix excludes them: `app.setGlobalPrefix('api', { exclude: [...MCP_ROUTES] })`.
 */
export const MCP_ROUTES: readonly string[] = [MCP_PATH, METADATA_PATH, METADATA_PATH + MCP_PATH];
