import { goOnWith } from './setup/pinned.mjs'
import { setUp } from './setup.mjs'

/** `npm start`: puts in place what is missing, then starts Worker and container together. */
try {
  await setUp()
  await goOnWith('start/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
