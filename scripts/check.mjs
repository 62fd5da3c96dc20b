import { goOnWith } from './setup/pinned.mjs'
import { setUp } from './setup.mjs'

/** `npm run check`: format, lint, types, generated types, the direction of imports. */
try {
  await setUp()
  await goOnWith('check/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
