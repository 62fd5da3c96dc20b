import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp } from './setup.mjs'

/** `npm run simulate`: histories of the whole control plane in one process, with faults. */
try {
  await setUp()
  await runUnderPinnedNode('../test/simulation/command/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
