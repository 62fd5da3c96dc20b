import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type SpeechSettings, speechSettings } from '../../../container/config.ts'
import { EngineUnavailable } from '../../../container/speech/model-folder.ts'
import { createRecognizer, type Recognizer } from '../../../container/speech/recognizer.ts'
import type { RecognizeOptions } from '../../../container/speech/recording.ts'
import { installScriptedSpeech, type ScriptedSpeech, scriptedText } from '../../doubles/speech/scripted-speech.ts'
import { clip, samplesOf, scratch, silenceOf } from '../audio/recordings.ts'

/** The process of the speech engine, and the line of recordings before it, whatever the engine hears. */
let speech: ScriptedSpeech
let settings: SpeechSettings
let recognizer: Recognizer

beforeAll(async () => {
  speech = await installScriptedSpeech()
  settings = speechSettings(speech.env)
})
afterAll(() => speech?.remove())
beforeEach(() => {
  recognizer = createRecognizer(settings)
  return () => {
    recognizer.stop()
    return speech.release()
  }
})

const sentence = samplesOf('-i', clip('0870'))
const text = scriptedText.slice(0, scriptedText.indexOf('.', 'And Mr.'.length) + 1)

const recognize = (samples: Buffer[], options: Partial<RecognizeOptions> = {}, engine = recognizer) =>
  engine.recognize(
    samples.map((piece, index) => ({ offsetSeconds: 100 * index, samples: piece })),
    { language: null, signal: new AbortController().signal, ...options },
  )

test('recordings are recognized one after the other', async () => {
  const ended: string[] = []
  await speech.hold()
  const begun = Promise.withResolvers<number>()
  const first = recognize([sentence], { onProgress: begun.resolve }).then(() => ended.push('first'))
  const second = recognize([silenceOf(1)]).then(() => ended.push('second'))
  await begun.promise
  await speech.release()
  await Promise.all([first, second])
  expect(ended).toEqual(['first', 'second'])
})

test('a canceled recording ends, and the process keeps running for the next', async () => {
  await recognizer.warm()
  const { pid } = recognizer
  await speech.hold()
  const controller = new AbortController()
  const canceled = recognize([sentence, sentence], {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('canceled')),
  })
  await expect(canceled).rejects.toThrow('canceled')
  // Still held, so the canceled piece has ended by the cancel if the next recording is recognized.
  expect((await recognize([silenceOf(1)])).text).toBe('')
  expect(recognizer.pid).toBe(pid)
})

test('a recording that is canceled while it waits is not started', async () => {
  await speech.hold()
  const begun = Promise.withResolvers<number>()
  const before = recognize([sentence], { onProgress: begun.resolve })
  const controller = new AbortController()
  const waiting = recognize([sentence], {
    signal: controller.signal,
    onProgress: () => expect.unreachable('it was started'),
  })
  await begun.promise
  controller.abort(new Error('canceled'))
  await expect(waiting).rejects.toThrow('canceled')
  await speech.release()
  expect((await before).text).toBe(text)
  expect((await recognize([sentence])).text).toBe(text)
})

test('a process that dies during a recording is started again, and no words and no speakers are lost', async () => {
  await recognizer.warm()
  const { pid } = recognizer
  await speech.hold()
  const begun = Promise.withResolvers<number>()
  const turns = [
    { start: 0, end: 100, speaker: 'A' },
    { start: 100, end: 200, speaker: 'B' },
  ]
  const recognizing = recognize([sentence, sentence], { turns, onProgress: begun.resolve })
  await begun.promise
  process.kill(pid ?? Number.NaN, 'SIGKILL')
  // SIGKILL takes effect a little later. Until then the hold keeps the process from finishing the recording.
  await expect.poll(() => recognizer.pid ?? pid).not.toBe(pid)
  await speech.release()
  const { text: recognized, segments } = await recognizing
  expect(recognized).toBe(`${text} ${text}`)
  for (const { start, speaker } of segments) expect(speaker).toBe(start < 100 ? 'A' : 'B')
  expect(await recognizer.health()).toBe(true)
})

test('a process whose line cannot be read is ended, and what it still says is not taken for the next piece', async () => {
  await speech.garble()
  await expect(recognize([sentence])).rejects.toBeInstanceOf(EngineUnavailable)
  await speech.release()
  expect((await recognize([silenceOf(1)])).text).toBe('')
})

test('a piece that nobody waits for any more does not answer the next', async () => {
  const onProgress = () => {
    throw new Error('not interested')
  }
  await expect(recognize([sentence], { onProgress })).rejects.toThrow('not interested')
  expect((await recognize([silenceOf(1)])).text).toBe('')
})

/** An engine that starts and exits with the first piece. */
const dyingPython = async (): Promise<string> => {
  const path = join(scratch(), 'python')
  const script = `#!/bin/sh\necho '{"event":"ready"}'\nread request\necho no memory left >&2\n`
  await writeFile(path, script, { mode: 0o755 })
  return path
}

test('a process that dies twice makes the engine unavailable', async () => {
  const dying = createRecognizer({ ...settings, python: await dyingPython() })
  const error = await recognize([sentence], {}, dying).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(EngineUnavailable)
  expect(error).toMatchObject({ reason: expect.stringContaining('no memory left') })
  dying.stop()
})
