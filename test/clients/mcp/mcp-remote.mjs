import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

// As Claude Desktop starts it: docs/mcp.md. mcp-remote itself puts the value in.
// biome-ignore lint/suspicious/noTemplateCurlyInString: not for JavaScript
const args = ['https://haul.example.com/mcp', '--header', 'Authorization:${HAUL_AUTHORIZATION}']
const env = { ...process.env, HAUL_AUTHORIZATION: 'Bearer haul_…' }
const client = new Client({ name: 'test', version: '1' })
await client.connect(new StdioClientTransport({ command: 'mcp-remote', args, env }))
console.log((await client.listTools()).tools.length, 'tools')
const call = { name: 'transcribe', arguments: { url: 'https://example.com/talk' } }
console.log(JSON.stringify(await client.callTool(call)))
await client.close()
