import { goOnWith } from './setup/pinned.mjs'
import { ensureChromium } from './setup/system.mjs'
import { setUp } from './setup.mjs'

/** `npm test`: sets up as `npm start` does, and what of others tests need besides; then runs all tests. */
const setUpServers = async () => {
  const { ensureVersity } = await import('../test/s3/ensure-versity.mjs')
  await ensureVersity().catch((error) => {
    console.log(`The S3 server that tests deliver to could not be built, is Go installed? (${error.message})`)
  })
}

/** Without it the tests of the console fail, and say so; all others run. */
const setUpBrowser = () => ensureChromium(console.log).catch((error) => console.log(error.message))

try {
  await Promise.all([setUp(), setUpServers(), setUpBrowser()])
  await goOnWith('test/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
