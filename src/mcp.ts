/**
 * MCP for host applications. Only this entry point loads the MCP SDK. `docs/mcp.md` describes the
 * module.
 */
export { DealSetsMcpModule } from './mcp/deal-sets-mcp.module.js';
export { MCP_ROUTES } from './mcp/mcp-routes.js';
