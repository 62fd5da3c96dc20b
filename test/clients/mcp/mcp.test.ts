import { expect, onTestFinished } from 'vitest'
import { mcp, mcpConformance, mcpReasons } from '../clients.ts'
import { captioned, testEach, workspace } from '../workspace.ts'
import { startWithKey } from './with-key.ts'

/** Unmodified MCP clients of agents and frameworks. */
const space = workspace()
const { outputOf } = space

testEach(mcp, 'lists the tools and transcribes a page', async (client) => {
  const output = await outputOf(client)
  expect(output).toContain('8 tools')
  expect(output).toContain(captioned)
})

testEach(mcpReasons, 'shows why a wrong key is refused', async (client) => {
  await expect(outputOf(client, { apiKey: 'haul_wrong' })).rejects.toThrow('A valid API key is required')
})

/** The others need tools, prompts or resources of a server that is made for the suite. */
const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

testEach(mcpConformance, 'passes for a server that has only tools', async (suite) => {
  const { url, close } = await startWithKey(space.site.haul.baseUrl, space.account.apiKey)
  onTestFinished(close)
  for (const SCENARIO of scenarios) expect(await outputOf(suite, { url, env: { SCENARIO } })).toMatch(/\b0 failed/)
})
