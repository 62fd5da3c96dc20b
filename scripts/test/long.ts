import { ensureN8n } from '../../test/further/product/examples/n8n/ensure-n8n.mjs'
import { ensureRegistries } from '../../test/further/rules/scripts/release/ensure-registries.mjs'
import { ensurePythonFrameworks } from '../../test/rules/python/frameworks/ensure-frameworks.mjs'
import { runInForeground } from '../setup/command.mjs'
import { root } from '../start/environment.ts'

/**
 * `npm run test:all` with ten times as many random cases, n8n itself and registries, then simulated histories, programs of others, and
 * both images. A part that fails does not keep the others from running.
 */
interface Part {
  name: string
  script: string
  args?: string[]
  env?: Record<string, string>
}

const run = async ({ script, args = [], env }: Part): Promise<boolean> => {
  const options = { cwd: root, env: { ...process.env, ...env } }
  return (await runInForeground('npm', ['run', '--silent', script, '--', ...args], options)) === 0
}

const missing: string[] = []
/** null: it cannot be installed, so its test is left out. */
const installed = (what: string, installation: Promise<string>): Promise<string | null> =>
  installation.catch((error: Error) => {
    console.log(`${what} cannot be installed: ${error.message}`)
    missing.push(what)
    return null
  })
const n8n = await installed('n8n', ensureN8n(console.log))
const frameworks = await installed('LangChain and LlamaIndex', ensurePythonFrameworks(console.log))
const registries = await ensureRegistries(console.log)
const parts: Part[] = [
  {
    name: `all tests, with ten times as many random cases${n8n ? ' and n8n' : ''}`,
    script: 'test:all',
    env: {
      HAUL_TEST_LONG: '1',
      HAUL_REGISTRIES: JSON.stringify(registries),
      ...(frameworks && { HAUL_PYTHON_FRAMEWORKS: frameworks }),
      ...(n8n && { HAUL_N8N: n8n }),
    },
  },
  {
    name: 'generated clients and requests',
    script: 'test',
    args: ['test/clients/openapi'],
    env: { HAUL_GENERATED_CLIENTS: '1' },
  },
  {
    name: 'what the next release would upload',
    script: 'release',
    args: ['--dry-run'],
    // No test asks a real host.
    env: { NPM_REGISTRY: 'http://127.0.0.1:9', PYPI_INDEX_URL: 'http://127.0.0.1:9' },
  },
  { name: 'planted bugs, which the simulation must find', script: 'simulate', args: ['--mutants'] },
  { name: 'ten minutes of simulated histories', script: 'simulate', args: ['--for', '10m'] },
  { name: 'real clients', script: 'test:clients' },
  { name: "the engine's image", script: 'test:image' },
  { name: 'compose.yaml', script: 'test:compose' },
]
const results: { name: string; isGreen: boolean; minutes: number }[] = []
for (const part of parts) {
  console.log(`\n${part.name}`)
  const since = performance.now()
  const isGreen = await run(part)
  results.push({ name: part.name, isGreen, minutes: (performance.now() - since) / 60_000 })
}
console.log()
for (const { name, isGreen, minutes } of results)
  console.log(`${isGreen ? 'ok    ' : 'FAILED'} ${name} (${minutes.toFixed(1)} min)`)
for (const what of missing) console.log(`FAILED ${what}, which cannot be installed`)
process.exitCode = missing.length === 0 && results.every(({ isGreen }) => isGreen) ? 0 : 1
