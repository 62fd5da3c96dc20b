import { copyFile, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { run } from '../setup/command.mjs'
import { filesIn, replaceFolder } from '../setup/install.mjs'
import { compareDigests, downloadWheels, firstLine, isInPlace, writeManifest } from './weights.mjs'

/** The weights of Moonshine base, English, in `<toolsDir>/models/moonshine-base`, from the wheel of those who have trained it. */
const parcel = {
  what: 'Moonshine weights',
  packages: [['moonshine-cpp==0.1.4', 'f7afc662bdd3ef98815ee3b940438b456e77d5a77cea5396ed9c572785412ebd']],
  downloadBytes: 54_645_697,
  // The wheel of one system, on all: only the weights are taken.
  platform: ['--python-version', '3.11', '--implementation', 'py', '--platform', 'manylinux2014_x86_64'],
}

const digests = {
  LICENSE: '5184ec974ddac0a49e478471bd789fd9e9af7254030e1b7f2af74c2ab8a4161e',
  'decoder_model_merged.ort': '370e0c1f161d68dc1c2264c1a82024fb123380da3b73f47f05531d1e8d3308c3',
  'encoder_model.ort': '9d1a19e044cbf89a207723d1adb667de89a5671a1e3e611b8ebe721b2c31219c',
  'tokenizer.bin': '04670d78994d030185c3dd843c60591788fed0a56cc6750747bd326825f13ca9',
}

const about = {
  name: 'moonshine-base',
  languages: ['en'],
  words: false,
  translation: false,
  origin: 'moonshine-cpp 0.1.4',
  licence: 'MIT, © 2025 Moonshine AI',
}

export const ensureMoonshine = async (venvPython, toolsDir, log = console.log) => {
  const target = join(toolsDir, 'models', about.name)
  if (await isInPlace(target, isMoonshine)) return target
  await replaceFolder(target, (staging) => take(venvPython, staging, log)).catch((cause) => {
    throw new Error(`The weights of Moonshine could not be put in place: ${firstLine(cause)}`, { cause })
  })
  log('Moonshine weights: Moonshine base is in place')
  return target
}

const isMoonshine = ({ files }) => Object.keys(digests).every((name) => files[name]?.sha256 === digests[name])

const take = async (venvPython, folder, log) => {
  const [unpacked, ready] = [join(folder, 'unpacked'), join(folder, 'ready')]
  await mkdir(ready)
  const [wheel] = await downloadWheels(parcel, venvPython, folder, log)
  await run(venvPython, ['-I', '-m', 'zipfile', '-e', wheel, unpacked])
  for (const path of await filesIn(unpacked)) {
    if (basename(path) in digests) await copyFile(path, join(ready, basename(path)))
  }
  await compareDigests(ready, digests)
  await writeManifest(ready, about)
  return ready
}
