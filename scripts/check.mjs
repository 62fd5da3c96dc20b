import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp } from './setup.mjs'

/** `npm run check`: format, lint, types, generated types and the direction of imports. */
try {
  await setUp()
  await runUnderPinnedNode('check/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
