import { ensureClient } from './setup/client.mjs'
import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUpPackages } from './setup.mjs'

/** `npm run example NAME`: runs a program of examples/ against the running `npm start`. */
try {
  await setUpPackages()
  await ensureClient(console.log)
  await runUnderPinnedNode('example/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
