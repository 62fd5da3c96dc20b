import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { withLock } from '../../../scripts/setup/install.mjs'

// Plain JavaScript without dependencies, because `npm test` runs it before packages are installed.

const VERSION = 'v1.8.0'
const TOOLS = join(dirname(fileURLToPath(import.meta.url)), '../../../.tools/bin')
const BINARY = join(TOOLS, `versitygw-${VERSION}`)
const LOCK = join(TOOLS, 'versitygw.lock')
/** The first build takes 75 s on 2 cores. */
const BUILD_TIMEOUT_MS = 10 * 60_000

const GO_MISSING = `Go is not installed. The tests of bucket copies need it to build the S3 server versitygw ${VERSION}.
Install Go 1.25 or later (macOS: brew install go; others: https://go.dev/dl) and run npm test again.`

/** The module proxy refuses to serve the S3 server or is down. That says nothing about Haul. */
export class S3ServerNotServed extends Error {}

/** What go prints when the proxy answers with a status other than "not found". */
const notServed = /reading https?:\/\/\S+: (?:403|429|5\d\d) .*/

/** Builds the S3 server for the tests once per checkout, and returns the path of its program. */
export const ensureVersity = async () => {
  if (!existsSync(BINARY)) await withLock(LOCK, console.log, build)
  return BINARY
}

const build = async () => {
  if (existsSync(BINARY)) return
  const staging = join(TOOLS, `.versitygw-${process.pid}`)
  const env = { ...process.env, GOBIN: staging, GOFLAGS: '' }
  const source = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`
  try {
    await promisify(execFile)('go', ['install', source], {
      env,
      timeout: BUILD_TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
    })
    // Renaming is atomic, so no test starts an incomplete binary.
    await rename(join(staging, 'versitygw'), BINARY)
  } catch (error) {
    const refusal = notServed.exec(error.stderr ?? '')?.[0]
    if (refusal) throw new S3ServerNotServed(`go install ${source}: ${refusal}`, { cause: error })
    if (error.code !== 'ENOENT') throw error
    throw new Error(GO_MISSING, { cause: error })
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}
