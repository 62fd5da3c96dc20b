import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { registerProduct } from '../../../simulation/platform/modules.ts'

/**
 * `npm run release:record`: records what the next release must work with, in test/further/rules/releases/last/: statements with their
 * schemas, and the types of RPC. With a number, it only prints the statements of so many histories.
 */
registerProduct()
const { recordStatements } = await import('./record-statements.ts')
const { declarationOfSurface } = await import('./declaration-of-rpc.ts')
const { databaseNames, schemaOf } = await import('./databases.ts')

/** Of the last half of these histories hardly any runs a statement that none before it ran. */
const HISTORIES = 300

const onLines = (items: readonly unknown[]): string => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`

const histories = Number(process.argv[2] ?? HISTORIES)
const statements = await recordStatements(Array.from({ length: histories }, (_, index) => index + 1))
if (process.argv[2] !== undefined) {
  process.stdout.write(JSON.stringify(statements))
} else {
  const folder = join(import.meta.dirname, 'last')
  const databases = databaseNames.map((name) => {
    const { version, schema } = schemaOf(name)
    return `"${name}": {"version": ${version},
"schema": ${onLines(schema)},
"statements": ${onLines(statements[name])}}`
  })
  writeFileSync(join(folder, 'statements.json'), `{${databases.join(',\n\n')}}\n`)
  writeFileSync(join(folder, 'rpc.d.ts'), await declarationOfSurface())
}
