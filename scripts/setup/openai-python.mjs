import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { root, toolsDir } from './paths.mjs'
import { ensureVenv } from './python.mjs'

/** For tests: OpenAI's package for Python, in an environment of its own. The one for JavaScript is an npm package. */
const folder = join(toolsDir, 'openai-python')
const requirements = join(root, 'test/product/openai/requirements.txt')

/** Returns the Python that has the package. A second call takes milliseconds. */
export const ensureOpenaiPython = (log) => {
  const lock = join(toolsDir, 'openai-python.lock')
  return withLock(
    lock,
    () => log(`Waiting for another set-up, which holds ${lock}`),
    () => ensureVenv({ folder, requirements, what: "OpenAI's package for Python" }, log),
  )
}
