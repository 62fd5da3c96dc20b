import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '../../../../../scripts/setup/command.mjs'

/** What `npm run release` reads of a checkout, with packages of a few lines. */
const files = {
  '.gitignore': 'node_modules\ndist/release/\n',
  'CHANGELOG.md': '# Changelog\n\n## 1.2.0\n\nThe first.\n',
  'worker/http/documentation/openapi.ts': "export const VERSION = '1.2.0'\n",
  'client/LICENSE': 'MIT\n',
  'client/README.md': '# haul-client\n',
  'client/package.json': JSON.stringify({
    name: 'haul-client',
    version: '1.2.0',
    license: 'MIT',
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    bin: { haul: 'bin/haul.js' },
    files: ['bin', 'dist'],
  }),
  'client/bin/haul.js': "#!/usr/bin/env node\nconsole.log('1.2.0')\n",
  'client/dist/index.js': 'export const seconds = 1\n',
  'client/dist/index.d.ts': 'export declare const seconds: number\n',
  'python/LICENSE': 'MIT\n',
  'python/README.md': '# haul-client\n',
  'python/pyproject.toml': `[build-system]
requires = ["hatchling==1.33.0"]
build-backend = "hatchling.build"
[project]
name = "haul-client"
version = "1.2.0"
description = "A client of a few lines."
readme = "README.md"
license = "MIT"
license-files = ["LICENSE"]
requires-python = ">=3.10"
[tool.hatch.build.targets.wheel]
packages = ["src/haul_client"]
`,
  'python/src/haul_client/__init__.py': '__version__ = "1.2.0"\n',
  'python/src/haul_client/py.typed': '',
}

export interface SmallCheckout extends AsyncDisposable {
  root: string
  /** Writes a file, and commits it. */
  change: (path: string, text: string) => Promise<void>
}

/** A checkout that may be released. `changes` replaces files of it; null leaves one out. */
export const smallCheckout = async (changes: Record<string, string | null> = {}): Promise<SmallCheckout> => {
  const root = await mkdtemp(join(tmpdir(), 'haul-checkout-'))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text, { mode: path.includes('/bin/') ? 0o755 : 0o644 })
  }
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], { cwd: root })
  for (const [path, text] of Object.entries({ ...files, ...changes })) if (text !== null) await write(path, text)
  await symlink(join(import.meta.dirname, '../../../../../node_modules'), join(root, 'node_modules'))
  await git('init', '--quiet')
  const commit = async () => {
    await git('add', '--all', '--force', '--', '.', ':!node_modules')
    await git('commit', '--quiet', '--message', 'change')
  }
  await commit()
  return {
    root,
    change: async (path, text) => {
      await write(path, text)
      await commit()
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}
