import { runUnderPinnedNode } from './setup/pinned-node.mjs'
import { ensurePromtool } from './setup/promtool.mjs'
import { ensureChromium } from './setup/system.mjs'
import { setUp } from './setup.mjs'

/** `npm test`: the set-up of `npm start` and of the programs that only tests need, then all tests. */

/** Without Go only the tests of bucket copies fail. They are left out when the S3 server cannot be downloaded. */
const setUpS3Server = async () => {
  const { ensureVersity, S3ServerNotServed } = await import('../test/s3/ensure-versity.mjs')
  await ensureVersity().catch((error) => {
    if (error instanceof S3ServerNotServed) process.env.HAUL_TEST_WITHOUT_S3 = error.message
    else console.log(`The tests of bucket copies will fail: ${error.message}`)
  })
}

/** Without Chromium only the tests of the console fail. */
const setUpBrowser = () =>
  ensureChromium(console.log).catch((error) => console.log(`The tests of the console will fail: ${error.message}`))

/** Without promtool only the tests of the alerts fail. */
const setUpPromtool = () =>
  ensurePromtool(console.log).catch((error) => console.log(`The tests of the alerts will fail: ${error.message}`))

/** Without them only the tests of the client in these runtimes fail. */
const setUpRuntimes = async () => {
  const { ensureRuntimes } = await import('../test/client/runtimes/ensure-runtimes.mjs')
  await ensureRuntimes(console.log).catch((error) => console.log(`Tests of the client will fail: ${error.message}`))
}

try {
  await Promise.all([setUp(), setUpS3Server(), setUpBrowser(), setUpPromtool(), setUpRuntimes()])
  await runUnderPinnedNode('test/main.ts')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
