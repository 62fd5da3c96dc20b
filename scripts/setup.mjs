import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root, toolsDir, venvPython } from './checkout.mjs'
import { withLock } from './setup/lock.mjs'
import { ensurePackages } from './setup/packages.mjs'
import { ensurePython } from './setup/python.mjs'
import { ensureFfmpeg } from './setup/system.mjs'

/**
 * Brings in place what Haul needs on this machine, and leaves alone what is there: a second run takes
 * milliseconds. Runs on any Node from 20 on, before a single package is installed.
 */
export const setUp = ({ log = console.log } = {}) => {
  const lock = join(toolsDir, 'setup.lock')
  return withLock(
    lock,
    () => log(`Another set-up holds ${lock}: waiting for it`),
    () => settleAll([ensurePackages(log), ensureFfmpeg(log), ensurePython(log).then(() => setUpSpeech(log))]),
  )
}

/** Enough for what touches no media. */
export const setUpPackages = ({ log = console.log } = {}) => ensurePackages(log)

/** Without its weights Haul does all but the built-in transcription, and says so in /health. */
const setUpSpeech = async (log) => {
  const script = join(root, 'scripts', 'speech.mjs')
  if (process.env.HAUL_SPEECH === 'off' || !existsSync(script)) return
  const { ensureSpeech } = await import('./speech.mjs')
  await ensureSpeech({ venvPython, toolsDir, log }).catch((error) => {
    log(`Built-in transcription will not work: ${error.message}`)
  })
}

/** A failure waits for the others: nothing is left half written behind it. */
const settleAll = async (works) => {
  const failed = (await Promise.allSettled(works)).filter(({ status }) => status === 'rejected')
  if (failed.length > 0) throw new Error(failed.map(({ reason }) => reason.message).join('\n'))
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await setUp().catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
