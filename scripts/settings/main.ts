import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tableOf, withTable } from './tables.ts'

/** Writes the tables of settings into the documents, or with `--check` fails if they are out of date. */
const root = join(import.meta.dirname, '../..')

const tables = [
  { path: 'README.md', program: 'start' },
  { path: 'docs/self-hosting.md', program: 'selfHost' },
  { path: 'docs/self-hosting.md', program: 'container' },
] as const

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
