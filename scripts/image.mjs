import { ensureImageTools } from './setup/image-tools.mjs'
import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp } from './setup.mjs'

/** `npm run test:image`: builds the container's image and runs product tests with it. */
try {
  await setUp()
  await ensureImageTools(console.log)
  await runUnderPinnedNode('image/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
