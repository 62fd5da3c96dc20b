import { readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type PlantedBug, withBug } from '../../planted-bugs/planted-bug.ts'
import { mutants } from '../mutants.ts'
import type { EngineLibraries } from './engine-libraries.ts'
import type { ObjectClass } from './object.ts'
import type { Batch } from './queue.ts'

/**
 * Loads the product's modules in plain Node. They are loaded once for all histories, so what they keep in their own
 * variables is reset at the beginning of each history.
 */

const root = join(import.meta.dirname, '../../..')
const urlOf = (path: string): string => pathToFileURL(join(root, path)).href

interface Shared {
  libraries: EngineLibraries | null
  resets: (() => void)[]
}

/** How the replaced modules find the world that runs now. */
const SHARED = Symbol.for('haul simulation')
const shared: Shared = { libraries: null, resets: [] }
Object.assign(globalThis, { [SHARED]: shared })

const sharedText = `globalThis[Symbol.for('haul simulation')]`
const replacements: Record<string, string> = {
  'cloudflare:workers': `
    export class DurableObject { constructor(ctx, env) { this.ctx = ctx; this.env = env } }`,
  undici: `
    export const request = (...given) => ${sharedText}.libraries.request(...given)
    export class Agent { async close() {} async destroy() {} }
    export class Pool {}
    export const fetch = () => Promise.reject(new Error('a simulated step does not use the egress'))
    export const buildConnector = fetch
    export const Response = globalThis.Response`,
  'node:timers/promises': `
    export const setTimeout = (...given) => ${sharedText}.libraries.sleep(...given)`,
  'node:fs': `
    export const createReadStream = (...given) => ${sharedText}.libraries.createReadStream(...given)`,
  'node:fs/promises': `
    export const mkdir = async () => {}
    export const rm = async () => {}
    export const mkdtemp = (...given) => ${sharedText}.libraries.mkdtemp(...given)
    export const [stat, writeFile] = []`,
  '../audio/decode.ts': `
    export * from '${urlOf('container/audio/decode.ts')}'
    export const decodeAudio = (file, options) => file.decode(options)`,
}

/** Replaced in all modules of the container, and in those of a step's run only: others use more of these. */
const inContainer = ['undici', 'node:timers/promises']
const inSteps = ['node:fs', 'node:fs/promises']
const stepModules = ['source/routes/until-served.ts', 'worker-client.ts', 'steps/decode.ts'].map((path) =>
  urlOf(`container/${path}`),
)
/** A simulated file decodes itself. */
const inDecoding = '../audio/decode.ts'
const decodingModule = urlOf('container/steps/decode.ts')
const containerUrl = urlOf('container/')

/** So that short transcripts are read and removed in several pieces, and a few jobs in several turns. */
const smallLimits: PlantedBug[] = [
  { path: 'worker/search/words-object.ts', find: 'PAGE_CHARACTERS = 250_000', instead: 'PAGE_CHARACTERS = 300' },
  { path: 'worker/search/words-object.ts', find: 'PIECES_A_CALL = 32', instead: 'PIECES_A_CALL = 2' },
  { path: 'worker/account/search/index-work.ts', find: 'AT_ONCE = 20', instead: 'AT_ONCE = 8' },
  { path: 'worker/media/chunks.ts', find: 'CHUNK_BYTES = 65_536', instead: 'CHUNK_BYTES = 500' },
]

/** Appended to modules that keep something between requests. A name that no longer exists fails in the first history. */
const resets = new Map(
  Object.entries({
    'domain/ids.ts': 'usedBytes = RANDOM_BYTES',
    'worker/env.ts': 'sealers.clear(); derived.clear()',
    'worker/fleet/known-extractors.ts': 'known = null; shown = null',
    'worker/http/guards.ts': 'recentKeys.clear()',
    'worker/metrics/metrics-of.ts': 'Object.assign(served, { bytes: 0, since: Number.NEGATIVE_INFINITY })',
    'worker/media/presigned-uploads.ts': 'signingKeys.clear()',
  }).map(([path, statements]) => [urlOf(path), statements]),
)

const PREFIX = 'haul-simulation:'

const replacementOf = (specifier: string, parent: string): string | null => {
  if (specifier === 'cloudflare:workers') return specifier
  if (inContainer.includes(specifier) && parent.startsWith(containerUrl)) return specifier
  if (specifier === inDecoding && parent === decodingModule) return specifier
  return inSteps.includes(specifier) && stepModules.includes(parent) ? specifier : null
}

let isRegistered = false

/** Before any product module is imported. `mutantName`: a bug to plant. */
export const registerProduct = (mutantName: string | null = null): void => {
  if (isRegistered) return
  isRegistered = true
  const mutant = mutantName === null ? null : mutants[mutantName]
  registerHooks({
    resolve: (specifier, context, next) => {
      const replacement = replacementOf(specifier, context.parentURL ?? '')
      if (replacement) return { url: PREFIX + replacement, format: 'module', shortCircuit: true }
      return next(specifier, context)
    },
    load: (url, context, next) => {
      const replacement = url.startsWith(PREFIX) ? replacements[url.slice(PREFIX.length)] : undefined
      if (replacement !== undefined) return { format: 'module', source: replacement, shortCircuit: true }
      if (url.endsWith('.md')) {
        const text = JSON.stringify(readFileSync(fileURLToPath(url), 'utf8'))
        return { format: 'module', source: `export default ${text}`, shortCircuit: true }
      }
      const loaded = next(url, context)
      const statements = resets.get(url)
      const changes = [...smallLimits, ...(mutant ? [mutant] : [])].filter(({ path }) => url === urlOf(path))
      if (statements === undefined && changes.length === 0) return loaded
      const source = changes.reduce(withBug, `${loaded.source}`)
      const reset = statements === undefined ? '' : `\n${sharedText}.resets.push(() => { ${statements} })\n`
      return { ...loaded, source: `${source}${reset}` }
    },
  })
}

const require = createRequire(import.meta.url)

/** Loads natively: a test runner that compiles imports itself would not call the hooks. */
export const loadProductModule = <T>(path: string): T => {
  registerProduct()
  return require(join(root, path)) as T
}

export interface WorkerModule {
  default: {
    fetch(request: Request, env: object, ctx: object): Response | Promise<Response>
    queue(batch: Batch, env: object, ctx: object): Promise<void>
    scheduled(controller: object, env: object, ctx: object): Promise<void>
  }
  AccountObject: ObjectClass
  FleetObject: ObjectClass
  EngineObject: ObjectClass
  MetricsObject: ObjectClass
  WorkObject: ObjectClass
  WordsObject: ObjectClass
}

export const loadWorker = (): WorkerModule => loadProductModule('worker/index.ts')

/** For a new history: what modules remember of the last one is forgotten. */
export const beginHistory = (libraries: EngineLibraries): void => {
  shared.libraries = libraries
  if (shared.resets.length < resets.size) throw new Error('a product module was imported before platform/modules.ts')
  for (const reset of shared.resets) reset()
}
