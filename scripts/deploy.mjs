import { goOnWith } from './setup/pinned.mjs'
import { setUpPackages } from './setup.mjs'

/** `npm run deploy`: brings Worker, database, queues, bucket and container to Cloudflare. */
try {
  await setUpPackages()
  await goOnWith('deploy/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
