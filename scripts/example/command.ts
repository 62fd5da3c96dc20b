import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../start/environment.ts'
import { wrangler, wranglerSettings } from '../start/worker.ts'

const examplesDir = join(root, 'examples')

export const exampleNames = async (): Promise<string[]> =>
  (await readdir(examplesDir, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** Of the examples that receive webhooks, unless PORT says otherwise. */
const webhookPorts: Record<string, string> = { 'webhook-to-file': '3000', 'podcast-worker': '8790' }

/** A folder with a wrangler.toml is a Worker, any other has a main.ts for Node. */
export const commandOf = (name: string) => {
  const cwd = join(examplesDir, name)
  const port = process.env.PORT || webhookPorts[name] || ''
  /** Where it receives webhooks. */
  const webhookUrl = name in webhookPorts ? `http://127.0.0.1:${port}/webhooks/haul` : null
  if (!existsSync(join(cwd, 'wrangler.toml')))
    return { program: process.execPath, programArgs: ['main.ts'], cwd, env: {}, webhookUrl }
  const dev = ['dev', '--test-scheduled', '--ip', '127.0.0.1', '--port', port, '--inspector-port', '0']
  return {
    program: process.execPath,
    programArgs: ['--no-warnings', wrangler, ...dev, '--show-interactive-dev-session=false'],
    cwd,
    env: { ...wranglerSettings },
    webhookUrl,
  }
}
