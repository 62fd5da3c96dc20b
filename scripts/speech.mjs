import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureEngine } from './speech/engine.mjs'
import { ensureSpeakers } from './speech/speakers.mjs'
import { writeManifest } from './speech/weights.mjs'
import { ensureWhisper } from './speech/whisper.mjs'

/**
 * Puts the built-in speech engine in place: its packages into the venv, and the weights of Whisper base and of the models
 * that tell speakers apart into `<toolsDir>/models`.
 *
 *     node scripts/speech.mjs                     all of it
 *     node scripts/speech.mjs speakers            only what tells speakers apart
 *     node scripts/speech.mjs manifest <folder>   writes the manifest of an operator's own model folder
 */

/** @param {{ venvPython: string, toolsDir: string, log?: (line: string) => void, onlySpeakers?: boolean }} options */
export const ensureSpeech = async ({ venvPython, toolsDir, log = console.log, onlySpeakers = false }) => {
  await ensureEngine(venvPython, log, { onlySpeakers })
  if (!onlySpeakers) await ensureWhisper(venvPython, toolsDir, log)
  await ensureSpeakers(venvPython, toolsDir, log)
}

/** Never rejects: without a part of the engine, everything works but what needs it, and /health reports it. */
export const ensureWhatIsServed = async ({ venvPython, toolsDir, log }) => {
  const without = (what) => (error) => log(`${what}: ${error.message}`)
  const noSpeech = without('The built-in transcription is not available')
  try {
    await ensureEngine(venvPython, log)
  } catch (error) {
    return noSpeech(error)
  }
  await ensureWhisper(venvPython, toolsDir, log).catch(noSpeech)
  await ensureSpeakers(venvPython, toolsDir, log).catch(without('The built-in engine cannot tell who speaks'))
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [command, folder] = process.argv.slice(2)
  const toolsDir = fileURLToPath(new URL('../.tools', import.meta.url))
  const paths = { venvPython: process.env.HAUL_PYTHON ?? join(toolsDir, 'venv', 'bin', 'python'), toolsDir }
  if (command === 'manifest' && folder) await writeManifest(folder, { origin: 'operator' })
  else await ensureSpeech({ ...paths, onlySpeakers: command === 'speakers' })
}
