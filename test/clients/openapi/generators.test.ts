import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { product } from '../../support/product/product.ts'
import { clients } from './generate.ts'
import { ensureGenerators, type Generators } from './install.ts'

/**
 * Clients that programs of others write from the OpenAPI documents: each is compiled under strict settings with a program
 * that uses it, which then calls the product. Installing the generators takes minutes, so only `npm run test:long` runs this.
 */
const isWanted = Boolean(process.env.HAUL_GENERATED_CLIENTS)
const runFile = promisify(execFile)
const INSTALL_TIMEOUT_MS = 1_800_000
/** Compilers on a busy machine. */
const GENERATOR_TIMEOUT_MS = 900_000

const site = product()
let generators: Generators

beforeAll(async () => {
  if (isWanted) generators = await ensureGenerators()
}, INSTALL_TIMEOUT_MS)

test.skipIf(!isWanted).for(Object.entries(clients))(
  'the client that %s generates compiles under strict settings, and imports a film',
  { timeout: GENERATOR_TIMEOUT_MS },
  async ([, make]) => {
    const folder = await mkdtemp(join(site.folder, 'client-'))
    const [program = '', ...options] = await make({ generators, folder, haulUrl: site.haul.baseUrl })
    const client = await site.newClient()
    const env = { ...process.env, HAUL_URL: site.haul.baseUrl, HAUL_API_KEY: client.apiKey, MEDIA_URL: site.media() }
    const { stdout } = await runFile(program, options, { cwd: folder, env })
    expect(JSON.parse(stdout)).toEqual({
      balance: 10,
      platform: 'direct',
      status: 'completed',
      episode: '42',
      bytes: expect.any(Number),
      refused: 'INVALID_REQUEST',
    })
  },
)
