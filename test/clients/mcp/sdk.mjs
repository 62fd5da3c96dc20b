import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const requestInit = { headers: { Authorization: 'Bearer haul_…' } }
const client = new Client({ name: 'test', version: '1' })
await client.connect(new StreamableHTTPClientTransport(new URL('https://haul.example.com/mcp'), { requestInit }))
console.log((await client.listTools()).tools.length, 'tools')
const call = { name: 'transcribe', arguments: { url: 'https://example.com/talk' } }
console.log(JSON.stringify(await client.callTool(call)))
await client.close()
