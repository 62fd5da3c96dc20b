import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { version } from '../../../client/package.json' with { type: 'json' }
import { installedPackage } from './installed-package.ts'

/** The client for Python, as its users install it, and its own tests. */
const run = promisify(execFile)
const installed = installedPackage()

test('both clients of the package pass their tests, which pytest runs', async () => {
  const ended = await run(installed.tools, ['-m', 'pytest', import.meta.dirname]).catch((error) => error)
  expect(ended.stdout).toMatch(/\d+ passed in/)
  expect(ended.stdout).not.toMatch(/failed|error/i)
})

test('the wheel and the archive have the version of the npm package, and the generated files', async () => {
  expect(installed.files.map((file) => basename(file)).sort()).toEqual([
    `haul_client-${version}-py3-none-any.whl`,
    `haul_client-${version}.tar.gz`,
  ])
  const program = `
import importlib.metadata as metadata, haul_client, pathlib
about = metadata.metadata("haul-client")
print(about["Version"], about.get_all("Requires-Dist"), haul_client.__file__)
for file in sorted(metadata.files("haul-client")): print(file)`
  const { stdout } = await run(installed.python, ['-c', program])
  const [first, ...names] = stdout.trim().split('\n')
  expect(first).toContain(`${version} ['httpx`)
  expect(first).toContain(installed.folder)
  expect(names).toEqual(
    expect.arrayContaining(
      ['py.typed', '_models.py', '_sync/client.py', '_async/client.py'].map((name) => `haul_client/${name}`),
    ),
  )
  expect(names.filter((name) => !/^haul_client(-[\d.]+\.dist-info)?\//.test(name))).toEqual([])
})

test('programs of users pass the strictest checks of types', async () => {
  const program = join(installed.folder, 'usage.py')
  await copyFile(join(import.meta.dirname, 'usage.py'), program)
  const options = ['--strict', '--python-executable', installed.python, '--python-version', '3.11']
  const { stdout } = await run(
    installed.tools,
    ['-m', 'mypy', ...options, '--cache-dir', join(installed.folder, 'mypy'), program],
    {
      cwd: installed.folder,
    },
  ).catch((error) => error)
  expect(stdout).toBe('Success: no issues found in 1 source file\n')
})
