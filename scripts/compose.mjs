import { ensureImageTools } from './setup/image-tools.mjs'
import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp } from './setup.mjs'

/** `npm run test:compose`: runs compose.yaml with its two images, from the first start to a restore. */
try {
  await setUp()
  await ensureImageTools(console.log)
  await runUnderPinnedNode('compose/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
