import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** The loaders with the real frameworks, which `npm run test:long` installs: HAUL_PYTHON_FRAMEWORKS is a Python with them. */
const run = promisify(execFile)
const python = process.env.HAUL_PYTHON_FRAMEWORKS
const root = join(import.meta.dirname, '../../../..')

test.runIf(python)('LangChain and LlamaIndex load transcripts', async () => {
  const { stdout } = await run(python ?? '', ['-m', 'pytest', import.meta.dirname]).catch((error) => error)
  expect(stdout).toMatch(/^\d+ passed/m)
})

test.runIf(python)('the loaders pass the strictest checks of types', async () => {
  const names = ['langchain', 'llama_index'].map((name) => `python/src/haul_client/${name}.py`)
  const cache = ['--cache-dir', join(dirname(python ?? ''), '../mypy')]
  const args = ['-m', 'mypy', '--config-file=python/pyproject.toml', ...cache, ...names]
  const { stdout } = await run(python ?? '', args, { cwd: root }).catch((error) => error)
  expect(stdout).toBe('Success: no issues found in 2 source files\n')
})
