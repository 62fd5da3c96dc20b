import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInForeground } from './setup/command.mjs'
import { ensureEngine } from './speech/engine.mjs'
import { ensureMoonshine } from './speech/moonshine.mjs'
import { ensureSpeakers } from './speech/speakers.mjs'
import { ensureWhisper } from './speech/whisper.mjs'

/**
 * Puts the built-in speech engine in place: its packages into the venv, and the weights of speech models and of the models
 * that tell speakers apart into `<toolsDir>/models`. SPEECH_MODEL is `whisper` (without it), `moonshine` or `both`.
 *
 *     node scripts/speech.mjs                     all of it
 *     node scripts/speech.mjs speakers            only what tells speakers apart
 *     node scripts/speech.mjs moonshine           only the engine, and the weights of Moonshine
 *     node scripts/speech.mjs manifest <folder>   writes the manifest of an operator's own model folder (speech/manifest.ts)
 */

/** @param {{ venvPython: string, toolsDir: string, log?: (line: string) => void, models?: string, onlySpeakers?: boolean }} options */
export const ensureSpeech = async ({ venvPython, toolsDir, log = console.log, models, onlySpeakers = false }) => {
  await ensureEngine(venvPython, log, { onlySpeakers })
  const weights = onlySpeakers ? [] : weightsOf(models)
  for (const ensure of weights) await ensure(venvPython, toolsDir, log)
  await ensureSpeakers(venvPython, toolsDir, log)
}

/**
 * Never rejects: without a part of the engine, everything works but what needs it, and /health reports it.
 *
 * @param {{ venvPython: string, toolsDir: string, log: (line: string) => void, models?: string | undefined }} options
 */
export const ensureWhatIsServed = async ({ venvPython, toolsDir, log, models }) => {
  const without = (what) => (error) => log(`${what}: ${error.message}`)
  const noSpeech = without('The built-in transcription is not available')
  try {
    await ensureEngine(venvPython, log)
  } catch (error) {
    return noSpeech(error)
  }
  const [first, ...others] = weightsOf(models)
  await first(venvPython, toolsDir, log).catch(noSpeech)
  for (const ensure of others) await ensure(venvPython, toolsDir, log).catch(without('A speech model is missing'))
  await ensureSpeakers(venvPython, toolsDir, log).catch(without('The built-in engine cannot tell who speaks'))
}

/** The default model first. What SPEECH_MODEL must be is in domain/settings/program-settings.ts. */
const weightsOf = (models = process.env.SPEECH_MODEL) => {
  if (models === 'moonshine') return [ensureMoonshine]
  return models === 'both' ? [ensureWhisper, ensureMoonshine] : [ensureWhisper]
}

/** It reads TypeScript, which the system's Node may not. An image has no other one. */
const writeManifest = (args) => {
  const pinnedNode = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
  const program = fileURLToPath(new URL('speech/manifest.ts', import.meta.url))
  return runInForeground(existsSync(pinnedNode) ? pinnedNode : process.execPath, [program, ...args])
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [command, ...args] = process.argv.slice(2)
  const toolsDir = fileURLToPath(new URL('../.tools', import.meta.url))
  const paths = { venvPython: process.env.HAUL_PYTHON ?? join(toolsDir, 'venv', 'bin', 'python'), toolsDir }
  if (command === 'manifest') process.exitCode = await writeManifest(args)
  else if (command === 'moonshine') {
    await ensureEngine(paths.venvPython, console.log)
    await ensureMoonshine(paths.venvPython, toolsDir)
  } else await ensureSpeech({ ...paths, onlySpeakers: command === 'speakers' })
}
