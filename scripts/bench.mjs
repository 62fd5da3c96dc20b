import { goOnWith } from './setup/pinned.mjs'
import { setUp } from './setup.mjs'

/** `npm run bench`: sets up as `npm start` does, then measures. */
try {
  await setUp()
  await goOnWith('../bench/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
