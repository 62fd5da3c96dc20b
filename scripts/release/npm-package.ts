import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { extract } from 'tar'
import { run } from '../setup/command.mjs'
import { filesIn, withStaging } from '../setup/install.mjs'
import { type PackedFile, packedFile, problemsOfFiles, problemsOfLicences } from './package-files.ts'

const fileRule = {
  required: ['LICENSE', 'README.md', 'package.json', 'bin/haul.js'],
  allowed: /^(LICENSE|README\.md|package\.json|bin\/haul\.js|dist\/.+\.(js|d\.ts))$/,
  maxFiles: 200,
  maxBytes: 150_000,
}

interface Manifest {
  name: string
  version: string
  license?: string
  bin?: Record<string, string>
  exports?: Record<string, string | { types?: string }>
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

export const packNpm = async (root: string, folder: string): Promise<PackedFile> => {
  const args = ['pack', './client', '--ignore-scripts', '--silent', '--pack-destination', folder]
  return packedFile(join(folder, await run('npm', args, { cwd: root })))
}

/** Looks at the package as its users get it. Its dependencies are taken from the checkout. */
export const problemsOfNpm = (file: PackedFile, root: string, version: string): Promise<string[]> =>
  withStaging(tmpdir(), async (folder) => {
    const installed = join(folder, 'node_modules/haul-client')
    await mkdir(installed, { recursive: true })
    await extract({ file: file.path, cwd: installed, strip: 1 })
    const manifest: Manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    await linkDependencies(manifest, root, folder)
    const names = (await filesIn(installed)).map((path) => path.slice(installed.length + 1))
    return [
      ...problemsOfFiles(names, file, fileRule),
      ...(manifest.version === version ? [] : [`${file.name} has version ${manifest.version} instead of ${version}.`]),
      ...(await problemsOfDependencies(manifest, root)),
      ...(await problemsOfManifest(installed)),
      ...(await problemsOfTypes(manifest, root, folder)),
      ...(await problemsOfPrograms(manifest, installed, folder)),
    ]
  })

const linkDependencies = async ({ dependencies, peerDependencies }: Manifest, root: string, folder: string) => {
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link)
  }
}

const problemsOfDependencies = async ({ license, dependencies = {} }: Manifest, root: string): Promise<string[]> => {
  const packages = await Promise.all(
    Object.keys(dependencies).map(async (name) => {
      const text = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')
      return { name, license: String(JSON.parse(text).license) }
    }),
  )
  return problemsOfLicences([{ name: 'haul-client', license: String(license) }, ...packages])
}

/** What publint says of package.json: whether its `exports`, `types` and `bin` name files that are there, in the right format. */
const problemsOfManifest = async (installed: string): Promise<string[]> => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, level: 'warning', strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`)
}

const entryPoints = ({ name, exports = {} }: Manifest): string[] =>
  Object.entries(exports)
    .filter(([, target]) => typeof target === 'object' && target.types)
    .map(([path]) => `${name}${path.slice(1)}`)

const problemsOfTypes = async (manifest: Manifest, root: string, folder: string): Promise<string[]> => {
  const imports = entryPoints(manifest).map((name, index) => `export * as entry${index} from '${name}'\n`)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'entries.ts'), imports.join(''))
  const problems: string[] = []
  for (const resolution of ['nodenext', 'bundler']) {
    const compilerOptions = {
      moduleResolution: resolution,
      module: resolution === 'bundler' ? 'esnext' : resolution,
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['entries.ts'] }))
    const compiled = run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder })
    const errors = await compiled.then(() => '', ownErrors)
    if (errors) problems.push(`The types do not resolve with ${resolution}: ${errors}`)
  }
  return problems
}

/** Leaves out errors in the types of other packages, such as an optional one that forgets to name a dependency. */
const ownErrors = ({ message }: Error): string => {
  const errors = message.split('\n').filter((line) => /\(\d+,\d+\): error /.test(line))
  // A compiler that does not start names no file.
  if (errors.length === 0) return message
  return errors.filter((line) => /^entries\.ts|(^|\/)node_modules\/haul-client\//.test(line)).join('\n')
}

const problemsOfPrograms = async (manifest: Manifest, installed: string, folder: string): Promise<string[]> => {
  const problem = ({ message }: Error) => [message]
  const imports = entryPoints(manifest).map((name) => `await import('${name}')`)
  const imported = run(process.execPath, ['--input-type=module', '--eval', imports.join('\n')], { cwd: folder })
  const programs = Object.entries(manifest.bin ?? {}).map(async ([name, path]) => {
    const said = await run(process.execPath, [join(installed, path), '--version'], { cwd: folder })
    return said === manifest.version ? [] : [`\`${name} --version\` prints ${said} instead of ${manifest.version}.`]
  })
  const found = await Promise.all([imported.then(() => [], problem), ...programs.map((each) => each.catch(problem))])
  return found.flat()
}
