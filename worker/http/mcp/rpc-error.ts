export const isMcpPath = (path: string): boolean => path === '/mcp'

/** Of the range that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000

interface RpcError {
  message: string
  code?: number
  data?: object
}

/** A refusal of the whole request. Clients show its message only in this form. The id is not known before the body is read. */
export const rpcErrorBody = ({ message, code = SERVER_ERROR, data }: RpcError) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, ...(data && { data }) },
})
