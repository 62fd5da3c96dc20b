import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { type SpeechSettings, speechSettings } from '../../../../container/config.ts'
import { clip, samplesOf, silenceOf } from '../../../container/audio/recordings.ts'
import { installSpeech } from '../../../container/speech/installed-speech.ts'
import { installScriptedSpeech } from '../../../doubles/speech/scripted-speech.ts'

/** The real engine loads its model and recognizes twice: seconds on a quiet machine, and minutes on a busy one. */
vi.setConfig({ testTimeout: 180_000 })

installSpeech()

const speech = samplesOf('-i', clip('0880'))
const script = fileURLToPath(new URL('../../../../container/speech/recognizer.py', import.meta.url))

/** What an engine says to speech, to silence and to nothing, line by line, to a cancel, and when the language is asked for. */
const conversation = async ({ python, modelDir }: SpeechSettings): Promise<unknown[]> => {
  const engine = spawn(python, ['-I', '-u', script, 'whisper', modelDir, '1'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ids = { last: 0 }
  const send = (samples: Buffer, language: string | null, last: boolean) => {
    const asked = { id: ++ids.last, language, translate: false, vocabulary: null, continues: false, last }
    engine.stdin.write(`${JSON.stringify({ bytes: samples.byteLength, ...asked })}\n`)
    engine.stdin.write(samples)
  }
  send(speech, null, true)
  send(silenceOf(2), null, true)
  send(silenceOf(0), 'en', true)
  send(speech, null, true)
  engine.stdin.write(`${JSON.stringify({ cancel: true })}\n`)
  for (const samples of [speech, silenceOf(2)]) {
    engine.stdin.write(`${JSON.stringify({ bytes: samples.byteLength, id: ++ids.last, detect: true })}\n`)
    engine.stdin.write(samples)
  }
  engine.stdin.end()
  const messages: unknown[] = []
  createInterface({ input: engine.stdout }).on('line', (line) => messages.push(JSON.parse(line)))
  await once(engine, 'close')
  return messages
}

/** Types instead of values; of a list, those of its first element. The names of events and languages are kept. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  const named = { ...value } as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(named).map(([key, each]) => [key, key === 'event' || key === 'language' ? each : shapeOf(each)]),
  )
}

test('the scripted engine gives the same messages as the real one, in the same order', async () => {
  const scripted = await installScriptedSpeech()
  const messages = await conversation(speechSettings(scripted.env)).finally(scripted.remove)
  expect(messages.map(shapeOf)).toEqual((await conversation(speechSettings({}))).map(shapeOf))
  expect(messages.at(-3)).toEqual({ event: 'canceled', id: 4 })
})
