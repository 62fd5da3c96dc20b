import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../../../scripts/setup/command.mjs'
import { replaceFolder } from '../../../../../scripts/setup/install.mjs'
import { root, toolsDir } from '../../../../../scripts/setup/paths.mjs'
import { ensureVenv } from '../../../../../scripts/setup/python.mjs'

/**
 * Registries of npm and PyPI for the test of `npm run release`, and what uploads to them, for `npm run test:long`.
 * Verdaccio's plugin for audits, which is not used, depends on a tag of node-fetch that not every registry has. Returns the
 * programs.
 */
export const ensureRegistries = async (log) => {
  const version = '6.10.4'
  const folder = join(toolsDir, `verdaccio-${version}`)
  if (!existsSync(folder)) {
    log(`Installing Verdaccio ${version}`)
    await replaceFolder(folder, async (staging) => {
      const manifest = { private: true, dependencies: { verdaccio: version }, overrides: { 'node-fetch': '2.7.0' } }
      await writeFile(join(staging, 'package.json'), JSON.stringify(manifest))
      await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: staging })
    })
  }
  const ensure = (name, requirements) =>
    ensureVenv({ folder: join(toolsDir, name), requirements: join(root, requirements), what: name }, log)
  return {
    verdaccio: join(folder, 'node_modules/.bin/verdaccio'),
    pypiserver: await ensure('pypiserver', 'test/further/rules/scripts/release/requirements.txt'),
    tools: await ensure('release', 'scripts/release/requirements.txt'),
  }
}
