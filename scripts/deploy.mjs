import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUpPackages } from './setup.mjs'

/** `npm run deploy`: deploys the Worker, database, queues, bucket and container to Cloudflare. */
try {
  await setUpPackages()
  await runUnderPinnedNode('deploy/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
