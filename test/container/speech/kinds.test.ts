import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { speechSettings } from '../../../container/config.ts'
import { EngineUnavailable } from '../../../container/speech/model-folder.ts'
import { checkMountedModels, readModel } from '../../../container/speech/models.ts'
import { typeOfModel } from '../../../container/speech/type-of-model.ts'
import { writeManifest } from '../../../scripts/speech/weights.mjs'
import { scratch } from '../audio/recordings.ts'

/** Which models are read, and what each of them can: by folders with empty files. */

const folderWith = async (files: string[], config?: object): Promise<string> => {
  const folder = join(scratch(), 'model')
  for (const name of ['', ...files]) await mkdir(dirname(join(folder, name)), { recursive: true })
  for (const name of files) await writeFile(join(folder, name), '')
  if (config) await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  return folder
}

const reasonOf = async (failing: Promise<unknown>): Promise<string> => {
  const error = await failing.catch((error: unknown) => error)
  if (!(error instanceof EngineUnavailable)) throw error
  return error.reason
}

const transducer = ['encoder-model.onnx', 'decoder_joint-model.onnx', 'vocab.txt']
const encoderAndDecoder = ['encoder_model.onnx', 'decoder_model_merged.onnx']
const kaldi = ['am-onnx/encoder.onnx', 'am-onnx/decoder.onnx', 'am-onnx/joiner.onnx', 'lang/tokens.txt']
const inInt8 = (files: string[]) => files.map((name) => name.replace('.onnx', '.int8.onnx'))

test.each<[type: string, files: string[], modelType?: string]>([
  ['whisper-ctranslate2', ['model.bin', 'tokenizer.json', 'vocabulary.txt']],
  ['whisper-ctranslate2', ['model.bin', ...encoderAndDecoder], 'whisper'],
  ['moonshine', ['encoder_model.ort', 'decoder_model_merged.ort', 'tokenizer.bin']],
  ['moonshine', [...encoderAndDecoder.map((name) => `onnx/${name}`), 'tokenizer.json'], 'moonshine'],
  ['whisper', [...encoderAndDecoder, 'vocab.json', 'added_tokens.json', 'tokenizer.json']],
  ['whisper', [...encoderAndDecoder.map((name) => `onnx/${name}`), 'vocab.json', 'added_tokens.json'], 'whisper'],
  ['whisper-ort', ['whisper-base_beamsearch.onnx', 'vocab.json', 'added_tokens.json']],
  ['nemo-conformer-ctc', ['model.onnx', 'vocab.txt']],
  ['nemo-conformer-ctc', ['model.onnx', 'model.onnx.data', 'vocab.txt'], 'a name of their own'],
  ['nemo-conformer-ctc', inInt8(['model.onnx', 'vocab.txt'])],
  ['nemo-conformer-aed', ['encoder-model.onnx', 'decoder-model.onnx', 'vocab.txt']],
  ['nemo-conformer-tdt', transducer, 'nemo-conformer-tdt'],
  ['nemo-conformer-tdt', inInt8(transducer), 'nemo-conformer-tdt'],
  ['nemo-conformer-rnnt', transducer, 'nemo-conformer-rnnt'],
  ['kaldi-rnnt', kaldi],
  ['kaldi-rnnt', inInt8(kaldi), 'vosk'],
  ['gigaam-v2-ctc', ['v3_ctc.onnx', 'v3_vocab.txt']],
  ['gigaam-v3-e2e-ctc', ['v3_e2e_ctc.int8.onnx', 'v3_e2e_ctc_vocab.txt']],
  ['gigaam-v2-rnnt', ['v2_rnnt_encoder.onnx', 'v2_rnnt_decoder.onnx', 'v2_rnnt_joint.onnx', 'v2_vocab.txt']],
  ['gigaam-multilingual-ctc', ['multilingual_large_ctc.onnx', 'multilingual_vocab.txt']],
  ['t-one-ctc', ['model.onnx'], 't-one-ctc'],
])('%s: %j', async (type, files, modelType) => {
  const folder = await folderWith(files, modelType ? { model_type: modelType } : undefined)
  expect((await typeOfModel(folder)).name).toBe(type)
})

describe('a folder that is none says in a sentence what is missing', () => {
  test.each<[title: string, files: string[], modelType: string | undefined, sentence: RegExp]>([
    [
      'if it has a part of one kind',
      ['encoder-model.onnx', 'vocab.txt'],
      undefined,
      /files of Canary, but no decoder-model/,
    ],
    [
      'if config.json names another',
      ['model.onnx'],
      'nemo-conformer-ctc',
      /says nemo-conformer-ctc, but it has no vocab/,
    ],
    [
      'if only config.json could tell',
      transducer,
      undefined,
      /no config.json .* nemo-conformer-tdt or nemo-conformer-rnnt$/,
    ],
    [
      'if its parts are of different numbers',
      ['encoder-model.int8.onnx', 'decoder-model.onnx', 'vocab.txt'],
      undefined,
      /of Canary, but no \w+-model.onnx$/,
    ],
    [
      'if it has none of any',
      ['readme.md'],
      undefined,
      /no model.bin \(Whisper\), no encoder_model.onnx \(Whisper as ONNX or Moonshine\), /,
    ],
  ])('%s', async (_, files, modelType, sentence) => {
    const folder = await folderWith(files, modelType ? { model_type: modelType } : undefined)
    const reason = await reasonOf(typeOfModel(folder))
    expect(reason).toContain(`${folder} is none of the kinds that are read: `)
    expect(reason).toMatch(sentence)
  })

  test('if it is not there', async () => {
    expect(await reasonOf(typeOfModel('/nowhere/at/all'))).toBe('/nowhere/at/all is not a folder that can be read')
  })
})

describe('what a model can do', () => {
  const whisper = ['model.bin', 'vocabulary.txt']
  const moonshine = ['encoder_model.ort', 'decoder_model_merged.ort', 'tokenizer.bin']
  const lines = (count: number) => '<|token|>\n'.repeat(count)
  const [all, none] = [
    { words: true, vocabulary: true, translation: true },
    { words: false, vocabulary: false, translation: false },
  ]

  test.each<[title: string, files: string[], vocabulary: number, manifest: object, expected: object]>([
    ['Whisper', whisper, 51_865, {}, { ...all, languages: 'all' }],
    ['Whisper for English', whisper, 51_864, {}, { ...all, languages: ['en'], translation: false }],
    ['Whisper that does not translate', whisper, 51_866, { translation: false }, { ...all, translation: false }],
    [
      'Whisper with two languages',
      whisper,
      51_865,
      { languages: ['de', 'en'] },
      { languages: ['de', 'en'], words: true },
    ],
    ['Moonshine', moonshine, 0, { languages: ['en'], words: true, translation: true }, { ...none, languages: ['en'] }],
    ['NeMo', ['model.onnx', 'vocab.txt'], 0, { languages: ['de'] }, { ...none, words: true, languages: ['de'] }],
    ['NeMo without times', ['model.onnx', 'vocab.txt'], 0, { languages: 'all', words: false }, none],
    ['Canary', ['encoder-model.onnx', 'decoder-model.onnx', 'vocab.txt'], 0, { languages: ['de', 'en'] }, none],
  ])('%s', async (_, files, vocabulary, manifest, expected) => {
    const folder = await folderWith(files)
    if (vocabulary > 0) await writeFile(join(folder, 'vocabulary.txt'), lines(vocabulary))
    await writeManifest(folder, manifest)
    expect(await readModel(folder, 'mine')).toMatchObject({ name: 'mine', ...expected })
  })

  test('a vocabulary may be a list in JSON', async () => {
    const folder = await folderWith(['model.bin'])
    await writeFile(join(folder, 'vocabulary.json'), JSON.stringify(Array.from({ length: 51_864 }, () => '<|token|>')))
    await writeManifest(folder, {})
    expect((await readModel(folder, null)).languages).toEqual(['en'])
  })

  test('the languages of another kind are not known if its manifest does not say them', async () => {
    const folder = await folderWith(moonshine)
    await writeManifest(folder, {})
    expect(await reasonOf(readModel(folder, null))).toContain('does not say its languages')
  })
})

describe('files of a model', () => {
  test('may be in subfolders and links, and hidden ones do not count', async () => {
    const folder = await folderWith([...kaldi.slice(1), '.cache/download/lock', '.gitattributes'])
    const elsewhere = await folderWith(['blob'])
    await symlink(join(elsewhere, 'blob'), join(folder, 'am-onnx/encoder.onnx'))
    await writeManifest(folder, { languages: ['ru'] })
    const { files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
    expect(Object.keys(files).toSorted()).toEqual(kaldi.toSorted())
    expect(await readModel(folder, null)).toMatchObject({ name: 'model', languages: ['ru'] })
  })

  test.each(['../secret', 'am-onnx/../../secret', '/etc/passwd', '.hidden', 'am-onnx//x'])(
    'are none outside of the folder: %s',
    async (name) => {
      const folder = await folderWith(['model.bin'])
      await writeManifest(folder, {})
      const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
      manifest.files[name] = manifest.files['model.bin']
      await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
      expect(await reasonOf(readModel(folder, null))).toContain('is not a valid manifest')
    },
  )
})

describe('folders that the operator names', () => {
  const whisper = async () => {
    const folder = await folderWith(['model.bin'])
    await writeManifest(folder, { name: 'own' })
    return folder
  }
  const check = (env: Record<string, string>) => checkMountedModels(speechSettings(env))

  test('may have models', async () => {
    await check({})
    await check({ STT_MODEL_DIR: await whisper(), STT_MODELS: `a=${await whisper()}` })
  })

  test.each<[title: string, env: (none: string) => Record<string, string>, sentence: RegExp]>([
    [
      'has no model',
      (none) => ({ STT_MODELS: `a=${none}` }),
      /^STT_MODELS: \S+ is none of the kinds that are read: .*\.$/,
    ],
    ['has no default model', (none) => ({ STT_MODEL_DIR: none }), /^STT_MODEL_DIR: \S+ is none of the kinds/],
  ])('stop the start if one %s', async (_, env, sentence) => {
    await expect(check(env(await folderWith(['notes.txt'])))).rejects.toThrow(sentence)
  })

  test.each<[title: string, change: (folder: string) => Promise<unknown>, sentence: RegExp]>([
    [
      'no manifest',
      (folder) => rm(join(folder, 'manifest.json')),
      /is not set up: \S+manifest.json is missing \(node .+ writes one\)\.$/,
    ],
    ['a file of another size', (folder) => writeFile(join(folder, 'model.bin'), 'more'), /does not match the manifest/],
    [
      'a file that the manifest does not have',
      (folder) => writeFile(join(folder, 'x'), ''),
      /x is not in the manifest/,
    ],
  ])('stop the start if one has %s', async (_, change, sentence) => {
    const folder = await whisper()
    await change(folder)
    await expect(check({ STT_MODELS: `a=${folder}` })).rejects.toThrow(sentence)
  })

  test('stop the start if one has the name of the default model', async () => {
    const env = { STT_MODEL_DIR: await whisper(), STT_MODELS: `own=${await whisper()}` }
    await expect(check(env)).rejects.toThrow(/^STT_MODELS: own is also the name of the default model, in /)
  })
})
