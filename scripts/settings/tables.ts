import { readFile, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Program, Setting } from '../../domain/settings/setting.ts'
import { allRows, rowsOf, takes } from '../../domain/settings/settings.ts'

/** Writes the tables of settings into the documents, or with `--check` fails if they are out of date. */
const root = join(import.meta.dirname, '../..')

/** What a newcomer to `npm start` may need. */
const first =
  'PORT ENGINE_PORT ENGINES HAUL_STATE HAUL_SPEECH ALLOW_PRIVATE_HOSTS SANDBOX YTDLP_CHANNEL PRICES RETENTION_DAYS'

const defaultIn = ({ default: value, otherwise }: Setting): string => value ?? otherwise ?? 'none'

const firstSettings = rowsOf('start')
  .filter(([name]) => first.split(' ').includes(name))
  .map(([name, row]) => [`\`${name}\``, defaultIn(row), row.about])

/** Where an operator sets what a program takes. A Worker's secrets are set with wrangler. */
const places = { start: 'npm start', selfHost: 'haul.env', container: 'engine.env', worker: 'wrangler.toml' }

const cellsOf = ([name, row]: [string, Setting]): string[] => {
  const programs = (Object.keys(places) as Program[]).filter((program) => takes(program, row))
  const placeOf = (program: Program): string =>
    `\`${program === 'worker' && row.isSecret ? 'wrangler secret put' : places[program]}\``
  const byDefault = Object.groupBy(programs, (program) => defaultIn({ ...row, ...row.differs?.[program] }))
  // First the default that most have.
  const sorted = Object.entries(byDefault).sort(([, a = []], [, b = []]) => b.length - a.length)
  const defaults = sorted.map(([text, some = []], index) =>
    index === 0 ? text : `${text} in ${some.map(placeOf).join(' and ')}`,
  )
  return [`\`${name}\``, defaults.join('; '), programs.map(placeOf).join(', '), row.about]
}

export const tables = [
  { path: 'README.md', title: 'first settings', heads: ['variable', 'default', ''], lines: firstSettings },
  {
    path: 'docs/settings.md',
    title: 'settings',
    heads: ['variable', 'default', 'set in', ''],
    lines: allRows.map(cellsOf),
  },
]

export const withTable = (document: string, { path, title, heads, lines }: (typeof tables)[number]): string => {
  const begin = `<!-- ${title}, made by npm run settings -->`
  const end = `<!-- end of ${title} -->`
  const [before = '', rest] = document.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`The document needs the lines ${begin} and ${end}.`)
  const table = [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  // Links of the list lead from the root.
  const linked = table.replace(/(?<=\]\()[^)#]+/g, (target) => posix.relative(posix.dirname(path), target))
  return `${before}${begin}\n\n${linked}\n\n${end}${after}`
}

if (import.meta.main) {
  for (const table of tables) {
    const file = join(root, table.path)
    const before = await readFile(file, 'utf8')
    const after = withTable(before, table)
    if (!process.argv.includes('--check')) await writeFile(file, after)
    else if (after !== before) {
      console.error(`A table of ${table.path} is out of date with domain/settings: run \`npm run settings\`.`)
      process.exitCode = 1
    }
  }
}
