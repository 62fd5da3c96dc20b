import { join } from 'node:path'
import { withLock } from '../../../../scripts/setup/install.mjs'
import { root, toolsDir } from '../../../../scripts/setup/paths.mjs'
import { ensureVenv } from '../../../../scripts/setup/python.mjs'

/**
 * OpenAI's package for Python, in an environment of its own. The one for JavaScript is an npm package. Returns the Python
 * that has it.
 */
export const ensureOpenaiPython = (log) => {
  const folder = join(toolsDir, 'openai-python')
  const requirements = join(root, 'test/further/product/openai/requirements.txt')
  return withLock(`${folder}.lock`, log, () =>
    ensureVenv({ folder, requirements, what: "OpenAI's package for Python" }, log),
  )
}
