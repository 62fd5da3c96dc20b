import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp } from './setup.mjs'

/** `npm run picture`: makes the picture of the README again. */
try {
  await setUp()
  await runUnderPinnedNode('picture/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
