import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { spokenText } from '../../../bench/speech/clips.ts'
import { wordErrorRate } from '../../../bench/speech/word-errors.ts'
import { speechSettings } from '../../../container/config.ts'
import { createRecognizer } from '../../../container/speech/recognizer.ts'
import type { AudioOrder } from '../../../domain/protocol/protocol.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import { clip, ffmpeg, italianClip, samplesOf, scratchFolder } from '../audio/recordings.ts'
import { installSpeech } from '../speech/installed-speech.ts'
import { createRecognizeHarness } from './recognize-harness.ts'
import { prepareAudio, resultOf } from './step-harness.ts'

/** With the real model. What a step does around the recognition is tested in recognize-scripted.test.ts. */

// Recognizing half a minute of speech takes 5 s on two quiet cores, and many times that on busy ones.
const TIMEOUT_MS = 180_000
vi.setConfig({ testTimeout: TIMEOUT_MS })

const recognizer = createRecognizer(speechSettings())
const folder = scratchFolder()
const { web, storePieces, transcriptOf } = createRecognizeHarness(() => recognizer, folder)

installSpeech()
beforeAll(() => recognizer.warm(), TIMEOUT_MS)
afterAll(() => recognizer.stop())

const clips = (['0870', '0880', '0890', '0920', '0930'] as const).map((name) => samplesOf('-i', clip(name)))

test('speech is transcribed in order, in short segments, with its language and, when asked for, its words', async () => {
  const { text, segments, facts } = await transcriptOf(storePieces(...clips), { words: true })
  expect(facts).toMatchObject({ hasWords: true, segments: segments.length })
  expect((segments as Segment[]).flatMap(({ words = [] }) => words.map((word) => word.text)).join(' ')).toBe(text)
  expect(wordErrorRate(spokenText, text)).toBeLessThan(0.08)
  expect(facts).toMatchObject({ language: 'en', durationSeconds: expect.closeTo(24.73, 2) })
  let clock = 0
  for (const { start: from, end } of segments) {
    expect(from).toBeGreaterThanOrEqual(clock)
    expect(end - from).toBeLessThanOrEqual(7)
    clock = end
  }
  expect(clock).toBeGreaterThan(23)
  expect(web.fake.uploads).toMatchObject([{ kind: 'transcript', contentType: 'application/jsonl' }])
})

test.each([
  ['detected', null],
  ['given', 'it'],
  ['given with a region', 'it-IT'],
])('speech in another language is transcribed: the language is %s', async (_how, language) => {
  const { text, segments, facts } = await transcriptOf(storePieces(samplesOf('-i', italianClip)), { language })
  expect(facts).toMatchObject({ language: 'it', hasWords: false, segments: segments.length })
  for (const segment of segments) expect(segment).not.toHaveProperty('words')
  const spoken = 'Buongiorno. Questa è una frase breve in italiano. Speriamo che si capisca bene.'
  expect(wordErrorRate(spoken, text.replace(/buon giorno/i, 'buongiorno'))).toBeLessThan(0.3)
})

test('a media file goes through the audio and recognize steps', async () => {
  writeFileSync(join(folder, 'speech.pcm'), Buffer.concat(clips))
  const pcm = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', join(folder, 'speech.pcm')]
  ffmpeg([...pcm, join(folder, 'speech.mp3')])
  const pieces = { encoding: 'samples', maxBytes: 8_000_000, maxSeconds: 10 } as const
  await web.start<AudioOrder>('audio', prepareAudio, { url: `${web.origin.url}/media/speech.mp3`, pieces })
  const audio = resultOf(web, 'audio')
  expect(audio.pieces.length).toBeGreaterThanOrEqual(3)
  const storedPieces = audio.pieces.map(({ upload, ...place }) => {
    const bytes = web.fake.stored(upload) ?? Buffer.alloc(0)
    return { ...place, url: web.fake.storeObject(bytes), sizeBytes: upload.sizeBytes }
  })
  web.fake.outcomes.length = 0
  const { text } = await transcriptOf(storedPieces)
  expect(wordErrorRate(spokenText, text)).toBeLessThan(0.1)
})
