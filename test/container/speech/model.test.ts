import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { speechSettings } from '../../../container/config.ts'
import { EngineUnavailable } from '../../../container/speech/model-folder.ts'
import { createRecognizer } from '../../../container/speech/recognizer.ts'
import { writeManifest } from '../../../scripts/speech/weights.mjs'
import { installScriptedSpeech } from '../../doubles/speech/scripted-speech.ts'
import { scratch, silenceOf } from '../audio/recordings.ts'
import { installSpeech } from './installed-speech.ts'

const settings = speechSettings({})

installSpeech()

/** A folder like that of a model, which is complete according to its manifest. */
const folderOfModel = async (): Promise<string> => {
  const modelDir = join(scratch(), 'model')
  await mkdir(modelDir)
  await writeFile(join(modelDir, 'model.bin'), 'no weights')
  for (const name of ['config.json', 'tokenizer.json']) await writeFile(join(modelDir, name), '{"a": 1}')
  await writeManifest(modelDir, { origin: 'a test' })
  return modelDir
}

/** The reason in the error of a recognition, which /health must report too. */
const unavailableReason = async (modelDir: string, python = settings.python): Promise<string> => {
  const recognizer = createRecognizer({ ...settings, modelDir, python })
  const { signal } = new AbortController()
  const pieces = [{ offsetSeconds: 0, samples: silenceOf(1) }]
  try {
    const error = await recognizer.recognize(pieces, { language: null, signal }).catch((error: unknown) => error)
    if (!(error instanceof EngineUnavailable)) throw error
    expect(await recognizer.health()).toBe(error.reason)
    return error.reason
  } finally {
    recognizer.stop()
  }
}

describe('the engine is unavailable, and health reports the reason, if', () => {
  test.each<[string, (modelDir: string) => Promise<unknown>, string]>([
    [
      'one byte of the model has changed',
      (dir) => writeFile(join(dir, 'model.bin'), 'no weighty'),
      'does not match the manifest',
    ],
    ['a file is truncated', (dir) => writeFile(join(dir, 'config.json'), '{}'), 'does not match the manifest'],
    ['a file is missing', (dir) => rm(join(dir, 'tokenizer.json')), 'tokenizer.json is missing'],
    ['a file is not in the manifest', (dir) => writeFile(join(dir, 'vocabulary.json'), '[]'), 'not in the manifest'],
    ['the manifest is missing', (dir) => rm(join(dir, 'manifest.json')), 'not set up'],
    [
      'the manifest is invalid',
      (dir) => writeFile(join(dir, 'manifest.json'), '{"files":{}}'),
      'is not a valid manifest',
    ],
    ['the folder is missing', (dir) => rm(dir, { recursive: true }), 'not set up'],
  ])('%s', async (_, damage, reason) => {
    const modelDir = await folderOfModel()
    await damage(modelDir)
    expect(await unavailableReason(modelDir)).toContain(reason)
  })

  test('all digests match but the file is not a model', async () => {
    expect(await unavailableReason(await folderOfModel())).toContain('did not start')
  })

  test('the manifest refers to a file outside the folder', async () => {
    const modelDir = await folderOfModel()
    const manifest = JSON.parse(await readFile(join(modelDir, 'manifest.json'), 'utf8'))
    manifest.files['../secret'] = manifest.files['config.json']
    await writeFile(join(modelDir, 'manifest.json'), JSON.stringify(manifest))
    expect(await unavailableReason(modelDir)).toContain('is not a valid manifest')
  })
})

test('without Python the engine is unavailable, and health reports it before the first use', async () => {
  const python = join(scratch(), 'python')
  const unused = createRecognizer({ ...settings, python })
  expect(await unused.health()).toContain(`${python} is missing`)
  expect(await unavailableReason(settings.modelDir, python)).toContain('did not start')
})

test('without the packages of the engine it is unavailable', async () => {
  const venv = join(scratch(), 'venv')
  await promisify(execFile)(settings.python, ['-m', 'venv', '--without-pip', venv])
  expect(await unavailableReason(settings.modelDir, join(venv, 'bin', 'python'))).toMatch(
    /did not start: .*No module named/,
  )
})

test('a repaired model folder is used without a restart', async () => {
  const speech = await installScriptedSpeech()
  onTestFinished(speech.remove)
  const own = speechSettings(speech.env)
  const recognizer = createRecognizer(own)
  onTestFinished(recognizer.stop)
  const aside = join(own.modelDir, 'aside.bin')
  await writeFile(aside, '')
  await expect(recognizer.warm()).rejects.toThrow(EngineUnavailable)
  await rm(aside)
  await recognizer.warm()
  expect(await recognizer.health()).toBe(true)
})

test('environment variables select the models, the number of threads and Python', () => {
  const env = {
    STT_MODEL_DIR: '/models/large',
    STT_MODELS: 'a=/models/a',
    STT_THREADS: '8',
    HAUL_PYTHON: '/bin/python',
  }
  expect(speechSettings(env)).toEqual({
    modelDir: '/models/large',
    models: [{ name: 'a', folder: '/models/a' }],
    mounted: ['/models/large', '/models/a'],
    threads: 8,
    python: '/bin/python',
  })
})

test.each<[env: Record<string, string>, byDefault: string, others: [name: string, folder: string][]]>([
  [{}, 'whisper-base', []],
  [{ SPEECH_MODEL: 'moonshine' }, 'moonshine-base', []],
  [{ SPEECH_MODEL: 'both' }, 'whisper-base', [['moonshine-base', 'moonshine-base']]],
  [{ SPEECH_MODEL: 'both', STT_MODELS: 'moonshine-base=/own' }, 'whisper-base', [['moonshine-base', 'own']]],
])('with %o the default model is %s, beside %o', (env, byDefault, others) => {
  const { modelDir, models } = speechSettings(env)
  expect(basename(modelDir)).toBe(byDefault)
  expect(models.map(({ name, folder }) => [name, basename(folder)])).toEqual(others)
})
