export const isMcpPath = (path: string): boolean => path === '/mcp'

/** Of the range that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000

interface RpcError {
  /** Of the message. null: it is not known. */
  id: string | number | null
  message: string
  code?: number
  data?: object
}

/** A refusal of the whole request. Clients show its message only in this form. */
export const rpcErrorBody = ({ id, message, code = SERVER_ERROR, data }: RpcError) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data && { data }) },
})
