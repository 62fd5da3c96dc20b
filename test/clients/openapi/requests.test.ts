import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { product } from '../../support/product/product.ts'
import { ensureSchemathesis } from './install.ts'

/**
 * Valid and invalid requests that schemathesis generates from the OpenAPI document: no answer may differ from what the document
 * says. Only `npm run test:long` runs this, as the generators of clients beside it.
 */
const isWanted = Boolean(process.env.HAUL_GENERATED_CLIENTS)
const INSTALL_TIMEOUT_MS = 600_000
/** Some thousand requests. */
const REQUESTS_TIMEOUT_MS = 1_200_000

const config = join(import.meta.dirname, 'schemathesis.toml')
/** The same requests in every run. `FC_SEED` chooses others, as for fast-check. */
const random = ['--seed', process.env.FC_SEED ?? '1', '--max-examples', '10', '--workers', '1', '--no-shrink']
const options = [
  ...['--phases', 'examples,coverage,fuzzing', ...random, '--continue-on-failure'],
  ...['--suppress-health-check', 'all', '--warnings', 'off', '--request-timeout', '60'],
]

const site = product()
let programs: string

beforeAll(async () => {
  if (isWanted) programs = await ensureSchemathesis()
}, INSTALL_TIMEOUT_MS)

/** Its examples lead to the origin of the tests, and to no real host. */
const documentIn = async (folder: string): Promise<string> => {
  const text = await (await fetch(`${site.haul.baseUrl}/openapi.json`)).text()
  const file = join(folder, 'openapi.json')
  await writeFile(file, text.replaceAll('https://example.com/video.mp4', site.media()).replace(/\.com\b/g, '.invalid'))
  return file
}

const unlimited = {
  concurrentJobs: { import: 100, transcription: 100 },
  requestsPerHour: { import: 1_000_000, transcribe: 1_000_000, status: 1_000_000, general: 1_000_000 },
}

test.skipIf(!isWanted).each([
  // The stream of events has no end.
  ['a caller', ['--exclude-path-regex', '^/(admin/.*|events)$']],
  ['an operator', ['--include-path-regex', '^/admin/']],
])('requests of %s are answered as the document says', { timeout: REQUESTS_TIMEOUT_MS }, async (who, paths) => {
  const folder = await mkdtemp(join(site.folder, 'requests-'))
  const client = await site.newClient()
  await site.operator().request('PATCH', `/admin/accounts/${client.accountId}`, { limits: unlimited })
  const token = who === 'an operator' ? site.haul.adminToken : client.apiKey
  const where = [await documentIn(folder), '--url', site.haul.baseUrl, '--header', `Authorization: Bearer ${token}`]
  const run = promisify(execFile)(
    join(programs, 'schemathesis'),
    ['--config-file', config, 'run', ...where, ...paths, ...options],
    {
      cwd: folder,
    },
  )
  const said = await run.catch((failed: { stdout: string }) => failed)
  expect(said.stdout).toContain('No issues found')
})
