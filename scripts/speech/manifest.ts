import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { byOperator, EngineUnavailable } from '../../container/speech/model-folder.ts'
import { readModel } from '../../container/speech/models.ts'
import { typeOfModel } from '../../container/speech/type-of-model.ts'
import { writeManifest } from './weights.mjs'

/** The command `node scripts/speech.mjs manifest`. */

const usage = `node scripts/speech.mjs manifest <folder> [options]

  --languages en,de   the languages that the model knows, or \`all\`; needed unless it is Whisper's for CTranslate2
  --no-words          it does not tell when each word is said
  --no-translation    it does not translate into English
  --licence MIT       of the weights, for whoever looks into the folder`

const readArguments = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      languages: { type: 'string' },
      'no-words': { type: 'boolean' },
      'no-translation': { type: 'boolean' },
      licence: { type: 'string' },
    },
  })
  const [folder, ...others] = positionals
  if (!folder || others.length > 0) throw new Error(`Name one folder:\n\n${usage}`)
  const { languages, licence, ...without } = values
  return {
    folder: resolve(folder),
    about: {
      ...(languages && { languages: languagesIn(languages) }),
      ...(without['no-words'] && { words: false }),
      ...(without['no-translation'] && { translation: false }),
      ...(licence && { licence }),
    },
  }
}

const languagesIn = (given: string): 'all' | string[] => {
  const languages = given
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  if (languages.join() === 'all') return 'all'
  const wrong = languages.find((code) => !/^[a-z]{2,3}$/.test(code))
  if (wrong === undefined && languages.length > 0) return languages
  throw new Error(`--languages must be \`all\`, or codes like en,de, and not "${wrong ?? given}".`)
}

/** What the operator has written into it, such as `name`, stays. */
const fieldsBefore = async (folder: string): Promise<object> => {
  const path = join(folder, 'manifest.json')
  const text = await readFile(path, 'utf8').catch(() => '{}')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${path} is not valid JSON: delete it first.`, { cause })
  }
}

const write = async (): Promise<string> => {
  const { folder, about } = readArguments()
  const isForSpeakers = ['segmentation.onnx', 'encoder.onnx'].every((name) => existsSync(join(folder, name)))
  const type = isForSpeakers ? null : await typeOfModel(folder)
  const fields = { ...(await fieldsBefore(folder)), ...about, origin: byOperator }
  if (type && type.kind !== 'whisper' && !('languages' in fields))
    throw new Error(`${folder} is ${type.called}, whose files do not tell its languages: add --languages en,de.`)
  await writeManifest(folder, fields)
  if (!type) return `${folder}: models for speakers.`
  const { languages, words, translation } = await readModel(folder, null)
  return (
    `${folder}: ${type.called} (${type.name}), languages ${languages === 'all' ? 'all' : languages.join(', ')}, ` +
    `${words ? 'with' : 'without'} times of words, ${translation ? 'with' : 'without'} translation.`
  )
}

await write().then(console.log, (error) => {
  console.error(error instanceof EngineUnavailable ? `${error.reason}.` : error.message)
  process.exitCode = 1
})
