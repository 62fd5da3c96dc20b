import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { setUp } from './setup.mjs'

/** `npm run bench`: the set-up of `npm start`, then the benchmarks. */
try {
  await setUp()
  await runUnderPinnedNode('../bench/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
