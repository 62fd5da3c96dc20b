import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installFfmpeg } from './ffmpeg.mjs'
import { ensureClient } from './setup/client.mjs'
import { withLock } from './setup/lock.mjs'
import { ensurePackages } from './setup/packages.mjs'
import { root, toolsDir, venvPython } from './setup/paths.mjs'
import { ensurePython } from './setup/python.mjs'
import { ensureBubblewrap, ensureFfmpeg } from './setup/system.mjs'

/**
 * Installs what Haul needs on this machine and is missing. A second run takes milliseconds. Runs on Node 20 or
 * newer, before any package is installed.
 */
export const setUp = ({ log = console.log } = {}) => {
  const lock = join(toolsDir, 'setup.lock')
  return withLock(
    lock,
    () => log(`Waiting for another set-up, which holds ${lock}`),
    () => {
      const systemFfmpeg = ensureFfmpeg(log)
      const python = ensurePython(log)
      return settleAll([
        ensurePackages(log).then(() => ensureClient(log)),
        systemFfmpeg,
        ensureBubblewrap(log),
        // Our own FFmpeg loads libraries that come with the system's.
        Promise.all([python, systemFfmpeg]).then(() => setUpFfmpeg(log)),
        python.then(() => setUpSpeech(log)),
      ])
    },
  )
}

/** Only npm packages, for commands that process no media. */
export const setUpPackages = ({ log = console.log } = {}) => ensurePackages(log)

/** Without it the system's ffmpeg is used, which takes more CPU time to start. */
const setUpFfmpeg = (log) =>
  installFfmpeg({ python: venvPython, toolsDir, log }).catch((error) => {
    log(`The system's ffmpeg is used: ${error.message}`)
  })

/** Without the speech weights everything but the built-in transcription works, and /health reports it. */
const setUpSpeech = async (log) => {
  const script = join(root, 'scripts', 'speech.mjs')
  if (process.env.HAUL_SPEECH === 'off' || !existsSync(script)) return
  const { ensureSpeech } = await import('./speech.mjs')
  await ensureSpeech({ venvPython, toolsDir, log }).catch((error) => {
    log(`The built-in transcription is not available: ${error.message}`)
  })
}

/** Waits for all installations before it fails, so that none of them is interrupted. Several may have the same reason. */
const settleAll = async (installations) => {
  const failed = (await Promise.allSettled(installations)).filter(({ status }) => status === 'rejected')
  const reasons = new Set(failed.map(({ reason }) => reason.message))
  if (reasons.size > 0) throw new Error([...reasons].join('\n'))
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await setUp().catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
