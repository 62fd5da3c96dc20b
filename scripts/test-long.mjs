import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp } from './setup.mjs'

/** `npm run test:long`: everything that takes too long for `npm test`. */
try {
  await setUp()
  await runUnderPinnedNode('test/long.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
