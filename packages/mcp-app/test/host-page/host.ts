import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/client';

/** The view that a test shows in the page. */
interface View {
  readonly html: string;
  readonly result: CallToolResult;
  readonly theme: 'light' | 'dark';
  /** Whether the host passes the view's tool calls on to the server. */
  readonly hasServerTools: boolean;
}

declare global {
  interface Window {
    /** Shows the document in a sandboxed frame, as a host does, and sends it the tool's result. */
    showView: (view: View) => Promise<void>;
    setTheme: (theme: 'light' | 'dark') => void;
    /** Calls a tool of the server; the test provides it. */
    callTool: (params: CallToolRequest['params']) => Promise<CallToolResult>;
  }
}

window.showView = async ({ html, result, theme, hasServerTools }) => {
  const frame = document.createElement('iframe');
  frame.title = 'View';
  frame.sandbox.add('allow-scripts');
  frame.style.cssText = 'border: 0; width: 100%; height: 1200px';
  document.body.replaceChildren(frame);
  const capabilities = hasServerTools ? { serverTools: {} } : {};
  const hostContext = { theme };
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, capabilities, { hostContext });
  bridge.oncalltool = (params) => window.callTool(params);
  window.setTheme = (changed) => bridge.setHostContext({ theme: changed });
  const initialized = new Promise<void>((resolve) => {
    bridge.addEventListener('initialized', () => resolve());
  });
  const target = frame.contentWindow as Window;
  await bridge.connect(new PostMessageTransport(target, target));
  frame.srcdoc = html;
  await initialized;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(result);
};
