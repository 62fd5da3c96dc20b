import { readFile, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Program, Setting } from '../../domain/settings/setting.ts'
import { rowsOf } from '../../domain/settings/settings.ts'

/** Writes the tables of settings into the documents, or with `--check` fails if they are out of date. */
const root = join(import.meta.dirname, '../..')

const tables = [
  { path: 'README.md', program: 'start' },
  { path: 'docs/self-hosting.md', program: 'selfHost' },
  { path: 'docs/self-hosting.md', program: 'container' },
] as const

/** The table of a program's settings, as Markdown for the document at `path`. */
export const tableOf = (program: Program, path: string): string => {
  const rows = linesOf(rowsOf(program)).map((line) => `| ${line.join(' | ')} |`)
  const table = ['| variable | default | |', '|---|---|---|', ...rows].join('\n')
  // The list has links from the root.
  return table.replace(/(?<=\]\()[^)#]+/g, (target) => posix.relative(posix.dirname(path), target))
}

/** Neighbours that are for the same have one line. */
const linesOf = (rows: [name: string, row: Setting][]): string[][] => {
  const groups: { names: string[]; defaults: Set<string>; about: string }[] = []
  for (const [name, row] of rows) {
    const last = groups.at(-1)
    const group = last?.about === row.about ? last : { names: [], defaults: new Set<string>(), about: row.about }
    if (group !== last) groups.push(group)
    group.names.push(`\`${name}\``)
    group.defaults.add(row.default ?? row.otherwise ?? 'none')
  }
  return groups.map(({ names, defaults, about }) => [names.join(', '), [...defaults].join(', '), about])
}

/** Replaces what is between the two comments for the program. */
export const withTable = (document: string, program: Program, table: string): string => {
  const begin = `<!-- settings of ${program}, made by npm run settings -->`
  const end = `<!-- end of settings of ${program} -->`
  const [before = '', rest] = document.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`The document needs the lines ${begin} and ${end}.`)
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}

if (import.meta.main) {
  for (const { path, program } of tables) {
    const file = join(root, path)
    const before = await readFile(file, 'utf8')
    const after = withTable(before, program, tableOf(program, path))
    if (!process.argv.includes('--check')) await writeFile(file, after)
    else if (after !== before) {
      console.error(`A table of ${path} is out of date with domain/settings: run \`npm run settings\`.`)
      process.exitCode = 1
    }
  }
}
