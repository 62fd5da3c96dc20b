import { MCPServerStreamableHttp } from '@openai/agents'

const server = new MCPServerStreamableHttp({
  url: 'https://haul.example.com/mcp',
  requestInit: { headers: { Authorization: 'Bearer haul_…' } },
})
await server.connect()
console.log((await server.listTools()).length, 'tools')
console.log(JSON.stringify(await server.callTool('transcribe', { url: 'https://example.com/talk' })))
await server.close()
