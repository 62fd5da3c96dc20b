import { join } from 'node:path'
import { root, toolsDir } from '../setup/paths.mjs'
import { ensureVenv } from '../setup/python.mjs'
import { readOptions } from './options.ts'
import { release } from './release.ts'

/** `npm run release`: publishes haul-client on npm and PyPI, with `--images` the images too (docs/releasing.md). */
try {
  const options = readOptions(process.argv.slice(2), process.env)
  const requirements = join(root, 'scripts/release/requirements.txt')
  const folder = join(toolsDir, 'release')
  const tools = await ensureVenv({ folder, requirements, what: 'build and twine' }, console.log)
  const isReleased = await release({ root, options, tools, log: console.log })
  process.exitCode = isReleased ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
