import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256OfFile } from '../setup/install.mjs'

/** `manifest.json` lists what a model folder must hold. An operator's own folder gets its list by a command of speech.mjs. */

/** @param {object} about What else it says: `origin`, and the `licences` of what others have trained. */
export const writeManifest = async (folder, about) => {
  const names = (await readdir(folder)).filter((name) => name !== 'manifest.json').sort()
  const files = {}
  for (const name of names)
    files[name] = { bytes: await sizeOf(join(folder, name)), sha256: await sha256OfFile(join(folder, name)) }
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify({ ...about, files }, null, 2)}\n`)
}

/** Compares only names and sizes, which takes milliseconds. The engine itself compares the digests before it loads a model. */
export const isInPlace = async (folder, isKnown) => {
  const manifest = await readFile(join(folder, 'manifest.json'), 'utf8')
    .then(JSON.parse)
    .catch(() => null)
  if (!manifest?.files || !isKnown(manifest)) return false
  const sizes = await Promise.all(Object.keys(manifest.files).map((name) => sizeOf(join(folder, name))))
  return Object.values(manifest.files).every(({ bytes }, index) => bytes === sizes[index])
}

/** -1: there is no such file. */
export const sizeOf = (path) =>
  stat(path)
    .then(({ size }) => size)
    .catch(() => -1)
