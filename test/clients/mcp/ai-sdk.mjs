import { createMCPClient } from '@ai-sdk/mcp'

const headers = { Authorization: 'Bearer haul_…' }
const client = await createMCPClient({ transport: { type: 'http', url: 'https://haul.example.com/mcp', headers } })
const tools = await client.tools()
console.log(Object.keys(tools).length, 'tools')
const options = { toolCallId: '1', messages: [] }
console.log(JSON.stringify(await tools.transcribe.execute({ url: 'https://example.com/talk' }, options)))
await client.close()
