import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDone, withStaging } from '../setup/install.mjs'
import { pip } from './weights.mjs'

const requirementsFile = fileURLToPath(new URL('../../container/speech/requirements.txt', import.meta.url))

/** What container/speech/speakers.py needs of them: numpy, ONNX Runtime and what that needs. */
const forSpeakers = ['flatbuffers', 'numpy', 'onnxruntime', 'packaging', 'protobuf']

export const ensureEngine = async (venvPython, log, { onlySpeakers = false } = {}) => {
  const all = await readFile(requirementsFile, 'utf8')
  const requirements = onlySpeakers ? partOf(all, forSpeakers) : all
  const venv = dirname(dirname(venvPython))
  const [stamp, wanted] = [join(venv, 'speech-engine.sha256'), createHash('sha256').update(requirements).digest('hex')]
  if (await isDone(stamp, wanted)) return
  log(onlySpeakers ? 'Speech engine: installing ONNX Runtime' : 'Speech engine: installing faster-whisper 1.2.1')
  await withStaging(venv, async (staging) => {
    const list = join(staging, 'requirements.txt')
    await writeFile(list, requirements)
    await pip(venvPython, ['install', '--quiet', '--require-hashes', '--only-binary', ':all:', '-r', list])
  })
  await writeFile(stamp, wanted)
}

/** Each package has a line that begins with its name, and indented ones after it. */
const partOf = (requirements, names) =>
  requirements
    .split(/\n(?=\S)/)
    .filter((each) => names.includes(each.split(/[=\s]/)[0]))
    .join('\n')
