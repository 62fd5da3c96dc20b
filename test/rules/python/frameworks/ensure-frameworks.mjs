import { join } from 'node:path'
import { root, toolsDir } from '../../../../scripts/setup/paths.mjs'
import { ensureVenv } from '../../../../scripts/setup/python.mjs'

/** LangChain and LlamaIndex, for `npm run test:long`. Returns the Python that has them. */
export const ensurePythonFrameworks = (log) =>
  ensureVenv(
    {
      folder: join(toolsDir, 'python-frameworks'),
      requirements: join(root, 'test/rules/python/frameworks/requirements.txt'),
      what: 'LangChain and LlamaIndex',
    },
    log,
  )
