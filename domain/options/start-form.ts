import { batchOptions } from './batch-options.ts'
import { importFields } from './import-options.ts'
import type { FormField, Options, Shape } from './option.ts'
import { transcribeFields, wordsOptions } from './transcribe-options.ts'
import { watchOptions } from './watch-options.ts'

/** An input of the console's form. An option of several starts is listed for each of them. */
export interface StartField extends FormField {
  /** `words`: of a transcription, or of the `transcribe` of an import. */
  start: 'import' | 'words' | 'transcribe' | 'batch' | 'watch'
  option: string
  name: string
  type: Shape['type']
  max?: number
  /** The initial value, if it is one of the choices. */
  chosen?: unknown
}

const fieldsOf = (start: StartField['start'], table: Options): StartField[] =>
  Object.entries(table).flatMap(([option, { shape, default: chosen, form = [] }]) => {
    const common = { start, option, name: option, type: shape.type, chosen }
    const choices = 'values' in shape ? { choices: shape.values } : {}
    const bound = 'max' in shape ? { max: shape.max } : {}
    return [form].flat().map((field) => ({ ...common, ...choices, ...bound, ...field }))
  })

export const startForm: readonly StartField[] = [
  ...fieldsOf('import', importFields),
  ...fieldsOf('words', wordsOptions),
  ...fieldsOf('transcribe', transcribeFields).filter(({ option }) => !Object.hasOwn(wordsOptions, option)),
  ...fieldsOf('batch', batchOptions),
  ...fieldsOf('watch', watchOptions),
]
