import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Imports the workflow and its credential into an n8n of its own, and starts it. You do the same by hand in yours. */

const { HAUL_URL = '', HAUL_API_KEY = '', PORT = '5678', N8N = 'npx --yes n8n@2.41.1' } = process.env
const [mediaUrl] = process.argv.slice(2)
const [program = '', ...programArgs] = N8N.split(' ')

const n8n = (...args: string[]): void => {
  const { status, error } = spawnSync(program, [...programArgs, ...args], {
    stdio: 'inherit',
    env: {
      N8N_USER_FOLDER: import.meta.dirname,
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_PORT: PORT,
      N8N_DIAGNOSTICS_ENABLED: 'false',
      ...process.env,
    },
  })
  if (status !== 0) throw error ?? new Error(`n8n ${args[0]} ended with code ${status}`)
}

const workflow = JSON.parse(readFileSync(join(import.meta.dirname, 'workflow.json'), 'utf8'))
for (const { parameters } of workflow.nodes)
  for (const setting of parameters.assignments?.assignments ?? []) {
    if (setting.name === 'haulUrl') setting.value = HAUL_URL
    if (setting.name === 'mediaUrl' && mediaUrl) setting.value = mediaUrl
  }
const credential = {
  id: 'haulApiKey',
  name: 'Haul API key',
  type: 'httpHeaderAuth',
  data: { name: 'Authorization', value: `Bearer ${HAUL_API_KEY}` },
}

const folder = mkdtempSync(join(tmpdir(), 'haul-n8n-'))
const importJson = (kind: 'credentials' | 'workflow', content: object): void => {
  const file = join(folder, `${kind}.json`)
  writeFileSync(file, JSON.stringify([content]), { mode: 0o600 })
  n8n(`import:${kind}`, `--input=${file}`)
}
try {
  importJson('credentials', credential)
  importJson('workflow', workflow)
} finally {
  rmSync(folder, { recursive: true })
}

console.log(`Open http://127.0.0.1:${PORT}/workflow/${workflow.id}`)
n8n('start')
