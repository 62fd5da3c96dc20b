import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { SAMPLE_RATE } from '../../../container/audio/decode.ts'
import { speechSettings } from '../../../container/config.ts'
import { clip, samplesOf, scratch, silenceOf } from '../audio/recordings.ts'
import { startEngine, textOf } from './engine-process.ts'
import { installSpeech } from './installed-speech.ts'

/**
 * The code that loads and runs models as ONNX, with networks made here that hear words in whistles (tiny-nemo.py). Speech
 * below the whistles lets the windows be found.
 */
vi.setConfig({ testTimeout: 120_000 })

installSpeech()

const made = fileURLToPath(new URL('tiny-nemo.py', import.meta.url))
const convert = fileURLToPath(new URL('../../../scripts/speech/convert', import.meta.url))

const tinyModel = (type: string): string => {
  const folder = scratch()
  execFileSync(speechSettings({}).python, ['-I', made, convert, type, folder])
  return folder
}

const whistles = [
  [5_000, 1],
  [5_600, 2],
  [6_300, 3],
  [7_000, 4],
  [7_600, 4.5],
] as const
const WHISTLE_SECONDS = 0.24
const LOUDNESS = 2_500

const whistling = (): Buffer => {
  const quietAbove = Array(4).fill('lowpass=f=3000').join(',')
  const samples = samplesOf('-i', clip('0870'), '-af', quietAbove)
  for (const [hertz, second] of whistles) {
    for (let at = second * SAMPLE_RATE; at < (second + WHISTLE_SECONDS) * SAMPLE_RATE; at++) {
      const whistle = LOUDNESS * Math.sin((2 * Math.PI * hertz * at) / SAMPLE_RATE)
      samples.writeInt16LE(Math.round(samples.readInt16LE(2 * at) / 2 + whistle), 2 * at)
    }
  }
  return samples
}

test.each([
  ['of CTC', 'nemo-conformer-ctc'],
  ['of tokens and durations', 'nemo-conformer-tdt'],
])('a network %s in the layout of NeMo is heard, with the time of each word', async (_, type) => {
  const engine = await startEngine('onnx', tinyModel(type), type)
  const heard = await engine.ask(whistling())
  expect(textOf(heard)).toBe('once upon a time.')
  const starts = heard.words.map(({ start }) => start)
  for (const [index, second] of [1, 2, 3, 4].entries()) expect(starts[index]).toBeCloseTo(second, 0.5)
  for (const { start, end, confidence } of heard.words) {
    expect(end).toBeGreaterThan(start)
    expect(end - start).toBeLessThan(1)
    expect(confidence).toBeGreaterThan(0)
    expect(confidence).toBeLessThanOrEqual(1)
  }
  expect(heard.language).toBe('en')
  expect(await engine.ask(silenceOf(2))).toMatchObject({ words: [], language: null })
})

test('of a recording in pieces, each piece says how far it was heard, and words keep their places', async () => {
  const type = 'nemo-conformer-ctc'
  const engine = await startEngine('onnx', tinyModel(type), type)
  const recording = Buffer.concat([whistling(), silenceOf(1), whistling()])
  const cut = 5 * SAMPLE_RATE * 2
  const first = await engine.ask(recording.subarray(0, cut), { last: false })
  const rest = recording.subarray(2 * first.consumedSamples)
  const last = await engine.ask(rest, { continues: true })
  expect(`${textOf(first)} ${textOf(last)}`.trim()).toBe('once upon a time. once upon a time.')
})

test('a network in whole numbers is found by its name', async () => {
  const type = 'nemo-conformer-ctc'
  const folder = tinyModel(type)
  renameSync(join(folder, 'model.onnx'), join(folder, 'model.int8.onnx'))
  const engine = await startEngine('onnx', folder, type)
  expect(textOf(await engine.ask(whistling()))).toBe('once upon a time.')
})

test('a model that lacks a file is told by its name', async () => {
  const type = 'nemo-conformer-tdt'
  await expect(startEngine('onnx', tinyModel('nemo-conformer-ctc'), type)).rejects.toThrow('encoder-model')
})
