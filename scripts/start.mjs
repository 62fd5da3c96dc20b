import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp } from './setup.mjs'

/** `npm start`: installs what is missing, then starts the Worker and the container. */
try {
  await setUp()
  await runUnderPinnedNode('start/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
