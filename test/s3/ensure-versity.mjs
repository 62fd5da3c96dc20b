import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

// Plain JavaScript without dependencies: the set-up of `npm test` runs it before anything is installed.

const VERSION = 'v1.8.0'
const TOOLS = join(dirname(fileURLToPath(import.meta.url)), '../../.tools/bin')
const BINARY = join(TOOLS, `versitygw-${VERSION}`)
const LOCK = join(TOOLS, 'versitygw.lock')
/** The first build compiles some hundred packages: 75 s on 2 cores. A lock older than this was left by a dead process. */
const BUILD_TIMEOUT_MS = 10 * 60_000

/** Builds the S3 server that tests deliver to, once per checkout, and answers with its path. */
export const ensureVersity = async () => {
  if (existsSync(BINARY)) return BINARY
  await mkdir(TOOLS, { recursive: true })
  const lock = await acquire()
  try {
    if (!existsSync(BINARY)) await build()
  } finally {
    await lock.close()
    await rm(LOCK, { force: true })
  }
  return BINARY
}

const build = async () => {
  const staging = join(TOOLS, `.versitygw-${process.pid}`)
  const env = { ...process.env, GOBIN: staging, GOFLAGS: '' }
  const source = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`
  try {
    await promisify(execFile)('go', ['install', source], {
      env,
      timeout: BUILD_TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
    })
    // A rename is whole or not at all: no test ever starts half a binary.
    await rename(join(staging, 'versitygw'), BINARY)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    throw new Error('Go is needed to build the S3 server that the tests deliver to: https://go.dev/dl', {
      cause: error,
    })
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

const acquire = async () => {
  for (;;) {
    try {
      return await open(LOCK, 'wx')
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const left = await stat(LOCK).catch(() => null)
      if (left && Date.now() - left.mtimeMs > BUILD_TIMEOUT_MS) await rm(LOCK, { force: true })
      else await sleep(500)
    }
  }
}
