import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/**
 * Imports point one way. The Worker's stages know the domain and never each other; `index.ts`,
 * `wiring.ts` and `flows/` introduce them. The container knows the domain too, and shares `protocol.ts` with the Worker.
 */
interface Rule {
  /** Files that the rule speaks of: a file, or a folder with a slash at the end. */
  from: string
  /** All of ours that they may import. */
  mayImport: readonly string[]
  /** npm packages, where only some are allowed. */
  packages?: readonly string[]
}

const domain = 'worker/domain/'
/** The door of the protocol, and what is behind it. */
const protocol = 'container/protocol.ts'
const messages = 'container/protocol/'
const shared = [domain, 'worker/env.ts', 'worker/directory.ts', 'worker/outbound.ts', protocol]
const stages = ['http', 'account', 'queue', 'engine', 'media', 'speech', 'delivery'].map((name) => `worker/${name}/`)
/** Those who know several stages and lead from one to the next. */
const introducers = ['worker/index.ts', 'worker/wiring.ts', 'worker/flows/']

/** The first that fits a file counts. */
const rules: readonly Rule[] = [
  { from: domain, mayImport: [domain] },
  ...stages.map((from) => ({ from, mayImport: [from, ...shared] })),
  ...introducers.map((from) => ({ from, mayImport: ['worker/', protocol] })),
  { from: 'worker/', mayImport: shared },
  { from: protocol, mayImport: [messages], packages: [] },
  { from: messages, mayImport: [messages], packages: ['zod'] },
  { from: 'container/', mayImport: ['container/', domain] },
  { from: 'client/', mayImport: ['client/'] },
  { from: 'console/', mayImport: ['console/', 'client/'] },
]

export interface Arrow {
  from: string
  to: string
}

export const isWrong = ({ from, to }: Arrow): boolean => {
  const rule = rules.find((candidate) => covers(candidate.from, from))
  if (!rule) return false
  if (!to.startsWith('.')) return rule.packages !== undefined && !rule.packages.includes(to)
  const target = posix.join(posix.dirname(from), to)
  return !rule.mayImport.some((place) => covers(place, target))
}

const covers = (place: string, path: string): boolean => (place.endsWith('/') ? path.startsWith(place) : path === place)

const imported = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)(['"])([^'"\n]+)\1/g

export const arrowsOf = (from: string, source: string): Arrow[] =>
  [...source.matchAll(imported)].map((found) => ({ from, to: found[2] ?? '' }))

/** Every arrow of this checkout that points the wrong way. */
export const wrongArrows = (root: string): Arrow[] =>
  ['worker', 'container', 'client', 'console']
    .flatMap((folder) => sourcesIn(root, folder))
    .flatMap((path) => arrowsOf(path, readFileSync(join(root, path), 'utf8')))
    .filter(isWrong)

/** Generated types name the main module, and are nobody's import. */
const isSource = (name: string): boolean => /\.(ts|tsx|mts|mjs|js)$/.test(name) && !name.endsWith('.d.ts')

const sourcesIn = (root: string, folder: string): string[] => {
  try {
    return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => isSource(name) && !name.includes('node_modules'))
      .map((name) => posix.join(folder, name))
  } catch {
    return []
  }
}

if (import.meta.main) {
  const wrong = wrongArrows(join(import.meta.dirname, '..'))
  for (const { from, to } of wrong) console.error(`${from} must not import ${to}`)
  process.exitCode = wrong.length > 0 ? 1 : 0
}
