import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUpPackages } from './setup.mjs'

/** `npm run rollback`: makes an earlier version of the deployed Worker and its containers the current one. */
try {
  await setUpPackages()
  await runUnderPinnedNode('deploy/rollback-main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
