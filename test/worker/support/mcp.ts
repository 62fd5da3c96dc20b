import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { tools } from '../../../worker/http/mcp/endpoint.ts'
import worker from '../../../worker/index.ts'
import { accept, MCP_VERSION, rpcHeaders, rpcMessage } from '../../support/mcp-messages.ts'
import { type Caller, ORIGIN } from './caller.ts'

/** Calls of the MCP server, for tests of what a proper client never sends. */

export interface RpcResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the message themselves.
  message: any
  /** Those before the response. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  notifications: any[]
}

interface RpcOptions {
  /** A version with the `initialize` handshake, else the current one. */
  era?: string
  version?: string
  headers?: Record<string, string>
  /** How long a tool call waits for a job. */
  waitMs?: number
}

export const rpc = async (
  { apiKey }: Pick<Caller, 'apiKey'>,
  method: string,
  params: object = {},
  { era, version = MCP_VERSION, headers = {}, waitMs = 100 }: RpcOptions = {},
): Promise<RpcResponse> => {
  const own = era
    ? { 'content-type': 'application/json', ...accept, 'mcp-protocol-version': era }
    : rpcHeaders(method, params, version)
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...own, ...headers },
    body: JSON.stringify(era ? { jsonrpc: '2.0', id: 1, method, params } : rpcMessage(method, params, version)),
  }
  const ctx = createExecutionContext()
  const response = await worker.fetch(new Request(`${ORIGIN}/mcp`, init), { ...env, MCP_WAIT_MS: `${waitMs}` }, ctx)
  const messages = messagesOf(response.headers.get('content-type') ?? '', await response.text())
  await waitOnExecutionContext(ctx)
  return {
    status: response.status,
    headers: response.headers,
    message: messages.at(-1),
    notifications: messages.slice(0, -1),
  }
}

const messagesOf = (contentType: string, text: string): unknown[] => {
  if (!contentType.startsWith('text/event-stream')) return text === '' ? [] : [JSON.parse(text)]
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? JSON.parse(line.slice(6)) : []))
}

/** The result of a tool call. */
export const callTool = async (
  caller: Pick<Caller, 'apiKey'>,
  name: string,
  args: object = {},
  { meta = {}, ...options }: RpcOptions & { meta?: object } = {},
) => {
  const { message, notifications } = await rpc(caller, 'tools/call', { name, arguments: args, _meta: meta }, options)
  if (!message.result) throw new Error(JSON.stringify(message))
  const { content, structuredContent: data, isError = false } = message.result
  // Some clients check errors against the schema, too, and others know no null.
  tools
    .find((tool) => tool.name === name)
    ?.output.strict()
    .parse(data)
  if (JSON.stringify(data).includes(':null')) throw new Error(`${name} has a property that is null`)
  const texts: string[] = content.flatMap((block: { type: string; text: string }) =>
    block.type === 'text' ? block.text : [],
  )
  return { text: texts[0] ?? '', quoted: texts[1], content, data, isError, notifications }
}
