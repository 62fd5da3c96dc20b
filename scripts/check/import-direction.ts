import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/**
 * The rule: a file imports from its own room and from rooms on lines further down, never from a line above and
 * never from another room on its own line. A room is a folder or a file of that name; rooms in one string are one
 * room. Below the last line of each program is `domain/`, which both share.
 */
const rooms = {
  worker: [
    ['under-wrangler'],
    ['index'],
    ['http', 'wake'],
    ['webhooks'],
    ['steps'],
    ['batches', 'search', 'watches'],
    ['bucket', 'fleet'],
    ['media', 'engine', 'queue-consumer'],
    ['account', 'speech'],
    ['listed-jobs'],
    ['directory', 'outbound', 'metrics'],
    ['env', 'log', 'sqlite'],
  ],
  container: [
    ['main'],
    ['server health lookups warm-up'],
    ['steps'],
    ['captions', 'audio', 'speech'],
    ['media'],
    ['source'],
    ['egress', 'sandbox'],
    ['worker-client failures log config'],
  ],
} as const

/**
 * Folders outside the programs, and what they may import. `packages` limits npm packages too; `node:` is all modules
 * of Node. `imports` is another folder. The first folder of a path counts.
 */
const shared: readonly { folder: string; imports?: string; packages?: readonly string[] }[] = [
  { folder: 'domain/protocol/', packages: ['zod'] },
  { folder: 'domain/' },
  { folder: 'console/' },
  { folder: 'client/src/', packages: ['node:fs/promises'] },
  { folder: 'client/ai/', packages: ['@ai-sdk/provider'], imports: 'client/src/' },
  { folder: 'client/', packages: ['commander', 'node:'] },
]

export interface Import {
  from: string
  to: string
}

export const violationOf = ({ from, to }: Import): string | null => {
  const target = to.startsWith('.') ? posix.join(posix.dirname(from), to) : null
  const wrong = (reason: string): string => `${from} imports ${target ?? to}: ${reason}.`
  const owner = shared.find(({ folder }) => from.startsWith(folder))
  if (owner) {
    const { folder, imports = folder, packages } = owner
    const isPackage = (name: string) => (name.endsWith(':') ? to.startsWith(name) : to === name)
    const isAllowed = target
      ? [folder, imports].some((each) => target.startsWith(each))
      : !packages || packages.some(isPackage)
    return isAllowed ? null : wrong([`${folder} imports only ${folder}`, ...(packages ?? [])].join(' and '))
  }
  const program = programOf(from)
  if (!program || !target) return null
  const importer = roomOf(program, from)
  if (!importer) return `${from} is in none of the rooms listed in scripts/check/import-direction.ts.`
  if (target.startsWith('domain/')) return null
  if (programOf(target) !== program) return wrong(`${program}/ imports only ${program}/ and domain/`)
  const imported = roomOf(program, target)
  if (!imported) return wrong(`the imported file is in none of the rooms listed in scripts/check/import-direction.ts`)
  if (imported.line > importer.line || imported.name === importer.name) return null
  if (imported.line < importer.line) return wrong(`${importer.name} is below ${imported.name}, and imports point down`)
  return wrong(`${importer.name} and ${imported.name} are on one level and do not import each other`)
}

type Program = keyof typeof rooms

const programOf = (path: string): Program | undefined =>
  (Object.keys(rooms) as Program[]).find((program) => path.startsWith(`${program}/`))

const roomOf = (program: Program, path: string): { name: string; line: number } | null => {
  const room = (path.split('/')[1] ?? '').replace(/\.[a-z]+$/, '')
  for (const [line, names] of rooms[program].entries()) {
    const name = names.find((each) => each.split(' ').includes(room))
    if (name) return { name, line }
  }
  return null
}

/** `haul.import('https://…')` is a call of the client. */
const importStatement = /(?:\bfrom\s*|(?<!\.)\bimport\s*\(\s*|\bimport\s+)(['"])([^'"\n]+)\1/g

export const importsIn = (from: string, source: string): Import[] =>
  [...source.matchAll(importStatement)].map((found) => ({ from, to: found[2] ?? '' }))

export const violationsIn = (root: string): string[] => {
  const sentences = ['domain', 'worker', 'container', 'console', 'client']
    .flatMap((folder) => sourcesIn(root, folder))
    .flatMap((path) => importsIn(path, readFileSync(join(root, path), 'utf8')))
    .flatMap((each) => violationOf(each) ?? [])
  return [...new Set(sentences)]
}

/** Generated types import the main module, so .d.ts files do not count. */
const isSource = (name: string): boolean =>
  /\.(ts|tsx|mts|mjs|js)$/.test(name) && !name.endsWith('.d.ts') && !/^(node_modules|dist)\//.test(name)

const sourcesIn = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .map((name) => posix.join(folder, name))

if (import.meta.main) {
  const violations = violationsIn(join(import.meta.dirname, '../..'))
  for (const sentence of violations) console.error(sentence)
  process.exitCode = violations.length > 0 ? 1 : 0
}
