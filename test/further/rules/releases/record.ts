import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { registerProduct } from '../../../simulation/platform/modules.ts'

/**
 * `npm run release:record`: records what the next release must work with, in last/: statements with their schemas, and
 * digests of what Worker and objects say to each other. `rpc` records only these; with a number, it only prints the
 * statements of so many histories.
 */
registerProduct()
const { recordStatements } = await import('./record-statements.ts')
const { digestsOfRpc } = await import('./rpc-digests.ts')
const { databaseNames, schemaOf } = await import('./databases.ts')

/** Of the last half of these histories hardly any runs a statement that none before it ran. */
const HISTORIES = 300

const onLines = (items: readonly unknown[]): string => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`

const folder = join(import.meta.dirname, 'last')
const recordRpc = async () => {
  const digests = Object.entries(await digestsOfRpc()).map((each) =>
    each.map((text) => JSON.stringify(text)).join(': '),
  )
  writeFileSync(join(folder, 'rpc.json'), `{\n  ${digests.join(',\n  ')}\n}\n`)
}

const [what] = process.argv.slice(2)
if (what === 'rpc') {
  await recordRpc()
} else {
  const histories = Number(what ?? HISTORIES)
  const statements = await recordStatements(Array.from({ length: histories }, (_, index) => index + 1))
  if (what === undefined) {
    const databases = databaseNames.map((name) => {
      const { version, schema } = schemaOf(name)
      return `"${name}": {"version": ${version},
"schema": ${onLines(schema)},
"statements": ${onLines(statements[name])}}`
    })
    writeFileSync(join(folder, 'statements.json'), `{${databases.join(',\n\n')}}\n`)
    await recordRpc()
  } else process.stdout.write(JSON.stringify(statements))
}
