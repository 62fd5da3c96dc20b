import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { batchOptions } from '../../domain/options/batch-options.ts'
import { importFields, importOptions } from '../../domain/options/import-options.ts'
import { transcribeFields, transcribeOptions, wordsOptions } from '../../domain/options/transcribe-options.ts'
import { watchOptions } from '../../domain/options/watch-options.ts'
import { documentText } from './document.mjs'

/** Writes the types of the API, and the options of imports and transcriptions with their command-line flags. */
const root = join(import.meta.dirname, '../..')
const generated = '/** Generated from the API, and not committed. */\n\n'

/** The generator needs TypeScript 5, so npm installs it for the client only. */
const { default: generate, astToString } = createRequire(join(root, 'client/package.json'))('openapi-typescript')

// A field with a default value may be left out of a request.
const ast = await generate(await documentText(), { alphabetize: true, defaultNonNullable: false })
await writeFile(join(root, 'client/src/openapi.ts'), `${generated}${astToString(ast)}`)

/** `starts`: the parts of the request that have the option. */
const flagsOf = (command, tables) => {
  const flags = new Map()
  for (const [start, table] of tables) {
    for (const [option, { shape, flags: rows = [] }] of Object.entries(table)) {
      for (const [commands, words, about, preset] of rows) {
        if (!commands.split(' ').includes(command)) continue
        const { starts = [] } = flags.get(words) ?? {}
        const { type, values } = shape
        flags.set(words, { option, starts: [...starts, start], words, about, preset, type, values })
      }
    }
  }
  return [...flags.values()]
}

const { metadata, ...ofBatch } = batchOptions
const { metadata: metadataOfWatch, ...ofWatch } = watchOptions
const ofItems = [
  ['transcribe', transcribeOptions],
  ['import', importOptions],
]
const flags = {
  import: flagsOf('import', [
    ['import', importFields],
    ['transcribe', wordsOptions],
  ]),
  transcribe: flagsOf('transcribe', [['transcribe', transcribeFields]]),
  batch: flagsOf('batch', [['batch', ofBatch], ...ofItems, ['batch', { metadata }]]),
  watch: [
    ...flagsOf('watch', [['watch', ofWatch]]),
    // Its items have what those of a batch have.
    ...flagsOf('batch', ofItems),
    ...flagsOf('watch', [['watch', { metadata: metadataOfWatch }]]),
  ],
}
const names = Object.keys({ ...transcribeOptions, metadata })
await writeFile(
  join(root, 'client/src/start-options.ts'),
  `${generated}export const startFlags = ${JSON.stringify(flags, null, 2)} as const

export const transcribeOptionNames = ${JSON.stringify(names)} as const\n`,
)
