import { expect } from 'vitest'
import { mcp, mcpReasons } from '../clients.ts'
import { captioned, testEach, workspace } from '../workspace.ts'

/** Unmodified MCP clients of agents and frameworks. */
const { outputOf } = workspace()

testEach(mcp, 'lists the tools and transcribes a page', async (client) => {
  const output = await outputOf(client)
  expect(output).toContain('6 tools')
  expect(output).toContain(captioned)
})

testEach(mcpReasons, 'shows why a wrong key is refused', async (client) => {
  await expect(outputOf(client, { apiKey: 'haul_wrong' })).rejects.toThrow('A valid API key is required')
})
