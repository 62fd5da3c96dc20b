import { chmod, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { speechSettings } from '../../../container/config.ts'
import { writeManifest } from '../../../scripts/speech/weights.mjs'

/**
 * The scripted speech engine (scripted-recognizer.py and scripted-speakers.py), for tests in which speech is only a part: it starts in 50 ms,
 * without a model to load, and what it hears is the same on every machine.
 *
 *     const speech = await installScriptedSpeech()
 *     haul = await startHaul({ stateDir, env: { ...process.env, ...speech.env } })   // or the container, or
 *     const recognizer = createRecognizer(speechSettings(speech.env))
 *     …
 *     await speech.remove()
 *
 * yt-dlp still runs in the Python of HAUL_PYTHON.
 */
export interface ScriptedSpeech {
  /** For the container's process. */
  env: Record<string, string>
  /** From now on no piece with speech, and no search for speakers, is finished after a first report of progress, until `release`. */
  hold(): Promise<void>
  /** From now on a line that cannot be read comes before each recognized piece, until `release`. */
  garble(): Promise<void>
  release(): Promise<void>
  remove(): Promise<void>
}

/** What it hears in the five clips of test/media/clips; in the first 6.5 s only the first sentence. */
export const scriptedText =
  'And Mr. John Dashwood had then leisure to consider how much there might be prudently in his power to do for them. ' +
  'He was not an ill-disposed young man, unless to be rather cold-hearted and rather selfish is to be ill-disposed. ' +
  'Had he married a more amiable woman, he might have been made still more respectable than he was. ' +
  'He might even have been made amiable himself.'

export const installScriptedSpeech = async (): Promise<ScriptedSpeech> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-scripted-speech-'))
  // Children of the sandbox have users of their own.
  await chmod(folder, 0o755)
  const paths = {
    python: join(folder, 'bin', 'python'),
    recognizer: join(folder, 'scripted-recognizer.py'),
    speakers: join(folder, 'scripted-speakers.py'),
    modelDir: join(folder, 'whisper-base'),
    speakerModelDir: join(folder, 'speakers'),
    hold: join(folder, 'hold'),
    garble: join(folder, 'garble'),
  }
  await mkdir(join(folder, 'bin'))
  await mkdir(paths.modelDir)
  await mkdir(paths.speakerModelDir)
  const interpreter = await realpath(speechSettings({}).python)
  for (const path of [paths.recognizer, paths.speakers]) await copyFile(join(import.meta.dirname, basename(path)), path)
  await writeFile(paths.python, pythonThatRuns(interpreter, paths), { mode: 0o755 })
  // As in a venv: the sandbox shows the interpreter's folder too.
  await writeFile(join(folder, 'pyvenv.cfg'), `home = ${join(interpreter, '..')}\n`)
  await writeFile(join(paths.modelDir, 'model.bin'), 'no weights')
  for (const name of ['segmentation.onnx', 'encoder.onnx']) {
    await writeFile(join(paths.speakerModelDir, name), 'no weights')
  }
  for (const path of [paths.modelDir, paths.speakerModelDir])
    await writeManifest(path, { origin: 'test/doubles/speech' })
  return {
    // An image does not see these files and keeps the real engine.
    env: process.env.ENGINE_IMAGE
      ? {}
      : { STT_PYTHON: paths.python, STT_MODEL_DIR: paths.modelDir, SPEAKER_MODEL_DIR: paths.speakerModelDir },
    hold: () => writeFile(paths.hold, ''),
    garble: () => writeFile(paths.garble, ''),
    release: async () => {
      for (const path of [paths.hold, paths.garble]) await rm(path, { force: true })
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The container gives recognizer.py or speakers/main.py to its Python, and this one runs a script instead. */
const pythonThatRuns = (
  interpreter: string,
  { recognizer, speakers }: { recognizer: string; speakers: string },
) => `#!/bin/sh
case "$*" in
  *speakers/main.py*) exec '${interpreter}' -I -u '${speakers}' "$@" ;;
  *) exec '${interpreter}' -I -u '${recognizer}' ;;
esac
`
