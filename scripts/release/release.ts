import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../setup/command.mjs'
import { releaseImages } from './images.ts'
import { packNpm, problemsOfNpm } from './npm-package.ts'
import type { ReleaseOptions } from './options.ts'
import type { PackedFile } from './package-files.ts'
import { buildPython, problemsOfPython } from './python-package.ts'
import { type Presence, presenceOnNpm, presenceOnPypi, uploadToNpm, uploadToPypi } from './registries.ts'

export interface Release {
  root: string
  options: ReleaseOptions
  /** A Python that has scripts/release/requirements.txt. */
  tools: string
  log: (line: string) => void
}

interface Upload {
  registry: string
  files: PackedFile[]
  presenceOf: (file: PackedFile) => Promise<Presence>
  send: (files: PackedFile[]) => Promise<void>
}

/** Uploads nothing before all is checked, and skips what a registry has, so that a failed release can be repeated. */
export const release = async ({ root, options, tools, log }: Release): Promise<boolean> => {
  const version = await releasedVersion(root)
  const ofCheckout = await problemsOfCheckout(root, version)
  for (const problem of ofCheckout) log(`${options.isDryRun ? 'Before a release' : 'Not released'}: ${problem}`)
  if (ofCheckout.length > 0 && !options.isDryRun) return false

  const folder = join(root, 'dist/release')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  log(`Packing and checking haul-client ${version}`)
  const npmFile = await packNpm(root, folder)
  const python = await buildPython(root, folder, tools)
  const problems = [
    ...(await problemsOfNpm(npmFile, root, version)),
    ...(await problemsOfPython(python, version, tools)),
  ]
  for (const problem of problems) log(`Not released: ${problem}`)
  if (problems.length > 0) return false

  const manifest = JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8'))
  const uploads: Upload[] = [
    {
      registry: options.npm.registry,
      files: [npmFile],
      presenceOf: (file) => presenceOnNpm(file, version, options.npm),
      send: ([file]) => uploadToNpm(file as PackedFile, options.npm, 'repository' in manifest),
    },
    {
      registry: options.pypi.uploadUrl,
      files: [python.sdist, python.wheel],
      presenceOf: (file) => presenceOnPypi(file, options.pypi),
      send: (files) => uploadToPypi(files, options.pypi, tools),
    },
  ]
  const areUploaded = options.isDryRun ? await describe(uploads, log) : await upload(uploads, version, log)
  if (!areUploaded || !options.hasImages) return areUploaded
  await releaseImages({ root, version, options, log })
  return true
}

/** The version that is released: that of the npm package. The others are compared with it. */
export const releasedVersion = async (root: string): Promise<string> =>
  JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8')).version

export const problemsOfCheckout = async (root: string, version: string): Promise<string[]> => {
  const [api, changelog, changes] = await Promise.all([
    readFile(join(root, 'worker/http/documentation/openapi.ts'), 'utf8'),
    readFile(join(root, 'CHANGELOG.md'), 'utf8'),
    run('git', ['status', '--porcelain'], { cwd: root }),
  ])
  const ofApi = /VERSION = '([^']*)'/.exec(api)?.[1]
  return [
    !/^\d+\.\d+\.\d+$/.test(version) && `The version ${version} is not three numbers, as npm and PyPI both want it.`,
    ofApi !== version &&
      `client/package.json has version ${version}, and worker/http/documentation/openapi.ts has ${ofApi}.`,
    !changelog.split('\n').includes(`## ${version}`) && `CHANGELOG.md has no heading for version ${version}.`,
    /^## Not released yet$/m.test(changelog) &&
      'CHANGELOG.md has changes under "Not released yet": which version has them?',
    changes !== '' && `These files are not committed:\n${changes}`,
  ].filter((problem) => problem !== false)
}

const sizeOf = ({ name, sizeBytes }: PackedFile): string => `${name} (${(sizeBytes / 1000).toFixed(1)} kB)`

/** A registry that cannot be asked does not stop a dry run. */
const describe = async (uploads: Upload[], log: Release['log']): Promise<boolean> => {
  for (const { registry, files, presenceOf } of uploads) {
    for (const file of files) {
      const state = await presenceOf(file).then(
        (presence) =>
          presence === 'absent' ? '' : `, which has it already${presence === 'same' ? '' : ', with other contents'}`,
        ({ message }) => `, which could not be asked (${message})`,
      )
      log(`Would upload ${sizeOf(file)} to ${registry}${state}`)
    }
  }
  return true
}

const upload = async (uploads: Upload[], version: string, log: Release['log']): Promise<boolean> => {
  const asked = await Promise.all(
    uploads.map(async (each) => {
      const presences = await Promise.all(each.files.map(each.presenceOf))
      const filesThatAre = (wanted: Presence) => each.files.filter((_, index) => presences[index] === wanted)
      return { ...each, filesThatAre }
    }),
  )
  const different = asked.flatMap(({ registry, filesThatAre }) =>
    filesThatAre('different').map(({ name }) => `${registry} has ${name} with other contents.`),
  )
  for (const problem of different) log(`Not released: ${problem} A new release needs a higher version than ${version}.`)
  if (different.length > 0) return false
  for (const { registry, filesThatAre, send } of asked) {
    for (const file of filesThatAre('same')) log(`Skipped ${file.name}: ${registry} has it already`)
    const absent = filesThatAre('absent')
    if (absent.length > 0) await send(absent)
    for (const file of absent) log(`Uploaded ${sizeOf(file)} to ${registry}`)
  }
  return true
}
