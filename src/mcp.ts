/**
 * MCP for host applications. This entry point alone loads the MCP SDK; `docs/mcp.md` describes it.
 */
export { DealSetsMcpModule } from './mcp/deal-sets-mcp.module.js';
export { MCP_ROUTES } from './mcp/mcp-routes.js';
