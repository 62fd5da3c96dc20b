import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { batchOptions } from '../../domain/options/batch-options.ts'
import { importFields, importOptions } from '../../domain/options/import-options.ts'
import { transcribeFields, transcribeOptions } from '../../domain/options/transcribe-options.ts'
import { documentText } from './document.mjs'

/** Writes the types of the API, and the options of imports and transcriptions with their command-line flags. */
const root = join(import.meta.dirname, '../..')
const generated = '/** Generated from the API, and not committed. */\n\n'

/** The generator needs TypeScript 5, so npm installs it for the client only. */
const { default: generate, astToString } = createRequire(join(root, 'client/package.json'))('openapi-typescript')

// A field with a default value may be left out of a request.
const ast = await generate(await documentText(), { alphabetize: true, defaultNonNullable: false })
await writeFile(join(root, 'client/src/openapi.ts'), `${generated}${astToString(ast)}`)

/** `start`: the part of the request that has the option. */
const flagsOf = (command, tables) =>
  tables.flatMap(([start, table]) =>
    Object.entries(table).flatMap(([option, { shape, flags = [] }]) =>
      flags
        .filter(([commands]) => commands.split(' ').includes(command))
        .map(([, words, about]) => ({ option, start, words, about, type: shape.type, values: shape.values })),
    ),
  )

const { metadata, ...ofBatch } = batchOptions
const flags = {
  import: flagsOf('import', [['import', importFields]]),
  transcribe: flagsOf('transcribe', [['transcribe', transcribeFields]]),
  batch: flagsOf('batch', [
    ['batch', ofBatch],
    ['transcribe', transcribeOptions],
    ['import', importOptions],
    ['batch', { metadata }],
  ]),
}
const names = Object.keys({ ...transcribeOptions, metadata })
await writeFile(
  join(root, 'client/src/start-options.ts'),
  `${generated}export const startFlags = ${JSON.stringify(flags, null, 2)} as const

export const transcribeOptionNames = ${JSON.stringify(names)} as const\n`,
)
