import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { list } from 'tar'
import { run } from '../setup/command.mjs'
import { withStaging } from '../setup/install.mjs'
import { type PackedFile, packedFile, problemsOfFiles, problemsOfLicences } from './package-files.ts'

/** Not the checkout, whose modules Python would find. */
const elsewhere = { cwd: '/' }

const MAX_BYTES = 300_000
const kept = String.raw`(?!.*(?:__pycache__|\.pyc$|\.venv/|\.pytest_cache|\.mypy_cache|\.ruff_cache))`
const wheelRule = (version: string) => ({
  required: [
    ...['haul_client/__init__.py', 'haul_client/py.typed', `haul_client-${version}.dist-info/METADATA`],
    `haul_client-${version}.dist-info/licenses/LICENSE`,
  ],
  allowed: new RegExp(`^${kept}haul_client(?:/.+\\.(?:py|pyi|typed)|-[^/]+\\.dist-info/.+)$`),
  maxFiles: 150,
  maxBytes: MAX_BYTES,
})
const sdistRule = {
  required: ['LICENSE', 'README.md', 'PKG-INFO', 'pyproject.toml', 'src/haul_client/__init__.py'],
  allowed: new RegExp(`^${kept}.+$`),
  maxFiles: 300,
  maxBytes: MAX_BYTES,
}

export const buildPython = async (root: string, folder: string, tools: string) => {
  const project = join(root, 'python')
  if (!existsSync(join(project, 'pyproject.toml'))) throw new Error('python/pyproject.toml is missing.')
  await run(tools, ['-m', 'build', '--outdir', folder, project], { cwd: root })
  const names = await readdir(folder)
  const found = (end: string) => packedFile(join(folder, names.find((name) => name.endsWith(end)) ?? end))
  return { wheel: await found('.whl'), sdist: await found('.tar.gz') }
}

export const problemsOfPython = async (
  { wheel, sdist }: Awaited<ReturnType<typeof buildPython>>,
  version: string,
  tools: string,
): Promise<string[]> => {
  const expected = [
    ['wheel', wheel.name, `haul_client-${version}-py3-none-any.whl`],
    ['sdist', sdist.name, `haul_client-${version}.tar.gz`],
  ]
  const misnamed = expected.flatMap(([what, name, right]) =>
    name === right ? [] : [`The ${what} is ${name} instead of ${right}.`],
  )
  // What follows would only repeat it.
  if (misnamed.length > 0) return misnamed
  return [
    ...problemsOfFiles(await filesOfWheel(wheel, tools), wheel, wheelRule(version)),
    ...problemsOfFiles(await filesOfSdist(sdist), sdist, sdistRule),
    ...(await run(tools, ['-m', 'twine', 'check', '--strict', wheel.path, sdist.path], elsewhere).then(
      () => [],
      ({ message }) => [message],
    )),
    ...(await problemsOfInstallation(wheel, version, tools)),
  ]
}

const filesOfWheel = async ({ path }: PackedFile, tools: string): Promise<string[]> => {
  const program = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
  return (await run(tools, ['-I', '-c', program, path], elsewhere)).split('\n')
}

const filesOfSdist = async ({ path }: PackedFile): Promise<string[]> => {
  const names: string[] = []
  await list({ file: path, onReadEntry: (entry) => entry.type === 'File' && names.push(entry.path) })
  return names.map((name) => name.slice(name.indexOf('/') + 1))
}

const LOOK = `
import haul_client, importlib.metadata as found, json
def licence(each):
    classifiers = [text.split(" :: ")[-1] for text in each.get_all("Classifier") or [] if text.startswith("License")]
    return each.get("License-Expression") or each.get("License") or ", ".join(classifiers)
packages = [{"name": each.name, "license": licence(each.metadata)} for each in found.distributions()]
version = found.version("haul-client")
module = getattr(haul_client, "__version__", version)
print(json.dumps({"module": module, "package": version, "packages": packages}))
`

const problemsOfInstallation = (wheel: PackedFile, version: string, tools: string): Promise<string[]> =>
  withStaging(tmpdir(), async (folder) => {
    const python = join(folder, 'bin/python')
    await run(tools, ['-m', 'venv', folder], elsewhere)
    const quiet = ['--quiet', '--no-input', '--disable-pip-version-check']
    await run(python, ['-I', '-m', 'pip', 'install', ...quiet, wheel.path], { cwd: folder })
    const { module, package: installed, packages } = JSON.parse(await run(python, ['-I', '-c', LOOK], { cwd: folder }))
    const own = packages.filter(({ name }: { name: string }) => !['pip', 'setuptools'].includes(name))
    return [
      ...(module === version ? [] : [`haul_client.__version__ is ${module} instead of ${version}.`]),
      ...(installed === version ? [] : [`The wheel's metadata has version ${installed} instead of ${version}.`]),
      ...problemsOfLicences(own),
    ]
  }).catch((error) => [error.message])
