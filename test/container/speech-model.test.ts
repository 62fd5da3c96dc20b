import { cp, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRecognizer } from '../../container/speech/engine/recognizer.ts'
import { speechSettings } from '../../container/speech/engine/settings.ts'
import { ensureSpeech, writeManifest } from '../../scripts/speech.mjs'
import { scratch, silenceOf } from './sound.ts'

const settings = speechSettings({})

beforeAll(async () => {
  await ensureSpeech({ venvPython: settings.python, toolsDir: dirname(dirname(settings.modelDir)), log: () => {} })
})

const copyOfModel = async (): Promise<string> => {
  const modelDir = join(scratch(), 'model')
  await cp(settings.modelDir, modelDir, { recursive: true })
  return modelDir
}

const refusal = async (modelDir: string, python = settings.python): Promise<string | true> => {
  const recognizer = createRecognizer({ ...settings, modelDir, python })
  const { signal } = new AbortController()
  const pieces = [{ offsetSeconds: 0, samples: silenceOf(1) }]
  try {
    const recognized = recognizer.recognize(pieces, { language: null, signal })
    await expect(recognized).rejects.toMatchObject({
      code: 'PROVIDER_FAILED',
      message: 'The built-in speech recognition is not available.',
    })
    return await recognizer.health()
  } finally {
    recognizer.stop()
  }
}

const flipOneByte = async (path: string): Promise<void> => {
  const file = await open(path, 'r+')
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 1_000_000)
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, 1_000_000)
  await file.close()
}

describe('a model folder is refused, and health says why, when', () => {
  test.each<[string, (modelDir: string) => Promise<unknown>, string]>([
    ['one byte is not what it was', (dir) => flipOneByte(join(dir, 'model.bin')), 'does not match its manifest'],
    ['a file was cut short', (dir) => writeFile(join(dir, 'config.json'), '{}'), 'does not match its manifest'],
    ['a file is missing', (dir) => rm(join(dir, 'tokenizer.json')), 'tokenizer.json is missing'],
    [
      'a file is there that nobody vouches for',
      (dir) => writeFile(join(dir, 'vocabulary.json'), '[]'),
      'not in the manifest',
    ],
    ['it has no manifest', (dir) => rm(join(dir, 'manifest.json')), 'not set up'],
    ['its manifest is none', (dir) => writeFile(join(dir, 'manifest.json'), '{"files":{}}'), 'is not a manifest'],
    ['it is not there at all', (dir) => rm(dir, { recursive: true }), 'not set up'],
  ])('%s', async (_, damage, reason) => {
    const modelDir = await copyOfModel()
    await damage(modelDir)
    expect(await refusal(modelDir)).toContain(reason)
  })

  test('it holds no model although every digest is right', async () => {
    const modelDir = await copyOfModel()
    await writeFile(join(modelDir, 'model.bin'), 'no weights')
    await writeManifest(modelDir, 'a test')
    expect(await refusal(modelDir)).toContain('did not start')
  })

  test('its manifest points outside of it', async () => {
    const modelDir = await copyOfModel()
    const manifest = JSON.parse(await readFile(join(modelDir, 'manifest.json'), 'utf8'))
    manifest.files['../secret'] = manifest.files['config.json']
    await writeFile(join(modelDir, 'manifest.json'), JSON.stringify(manifest))
    expect(await refusal(modelDir)).toContain('is not a manifest')
  })
})

test('without Python nothing starts, and health says so before anybody asks for words', async () => {
  const python = join(scratch(), 'python')
  const untried = createRecognizer({ ...settings, python })
  expect(await untried.health()).toContain(`${python} is missing`)
  expect(await refusal(settings.modelDir, python)).toContain('did not start')
})

test('without faster-whisper in it nothing starts', async () => {
  const bare = join(scratch(), 'python')
  await writeFile(bare, `#!/bin/sh\nexec '${settings.python}' -S "$@"\n`, { mode: 0o755 })
  expect(await refusal(settings.modelDir, bare)).toMatch(/did not start: .*faster_whisper/)
})

test('a folder that was repaired is taken without a restart of ours', async () => {
  const modelDir = await copyOfModel()
  await mkdir(join(modelDir, 'aside'))
  const recognizer = createRecognizer({ ...settings, modelDir })
  await expect(recognizer.warm()).rejects.toThrow('not available')
  await rename(join(modelDir, 'aside'), `${modelDir}-aside`)
  await recognizer.warm()
  expect(await recognizer.health()).toBe(true)
  recognizer.stop()
})

test('any Whisper of the operator’s own is taken from STT_MODEL_DIR', () => {
  expect(speechSettings({ STT_MODEL_DIR: '/models/large', STT_THREADS: '8', HAUL_PYTHON: '/bin/python' })).toEqual({
    modelDir: '/models/large',
    threads: 8,
    python: '/bin/python',
  })
})
