/** Messages of MCP as the official client sends them, for tests that send them by hand. */

export const MCP_VERSION = '2026-07-28'

export const accept = { accept: 'application/json, text/event-stream' }

export const rpcMessage = (method: string, params: object = {}, version = MCP_VERSION) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
      ...('_meta' in params ? (params._meta as object) : {}),
    },
  },
})

/** They repeat what the message says. */
export const rpcHeaders = (method: string, params: object = {}, version = MCP_VERSION): Record<string, string> => ({
  'content-type': 'application/json',
  ...accept,
  'mcp-protocol-version': version,
  'mcp-method': method,
  ...('name' in params && { 'mcp-name': `${params.name}` }),
})
