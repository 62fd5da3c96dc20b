import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { Product } from './product.ts'

export type Version = 'auto' | 'legacy'

/** MCP's own client. 'auto' finds that the server has the current version of the protocol, 'legacy' begins with a handshake. */
export const connectMcp = async ({ haul }: Product, apiKey: string, version: Version = 'auto'): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: version } })
  const requestInit = { headers: { Authorization: `Bearer ${apiKey}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${haul.baseUrl}/mcp`), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

// biome-ignore lint/suspicious/noExplicitAny: the client checks the data against the schema of the tool.
export const dataOf = (result: CallToolResult): any => result.structuredContent

export const call = async (client: Client, name: string, args: object): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: { ...args } })) as CallToolResult

/** The answer to a call when its job has ended, which may take longer than a call waits on a busy machine. */
export const ended = async (client: Client, name: string, args: object): Promise<CallToolResult> => {
  let result = await call(client, name, args)
  while (dataOf(result).check_again_in_seconds) {
    result = await call(client, 'check_job', { job_id: dataOf(result).job_id })
  }
  return result
}
