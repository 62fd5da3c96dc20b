import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCaptions } from '../../../container/steps/captions.ts'
import { orFromStorage } from '../../../container/steps/step.ts'
import type { AudioOrder, CaptionsOrder, StoredSource } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { codeOf, createStepHarness, outcomeOf, prepareAudio, resultOf } from './step-harness.ts'

/** The harness's guard allows only its own origin. The storage of a Worker on one's own machine has such an address. */
const web = createStepHarness()
let storage: Origin
beforeAll(async () => {
  storage = await startOrigin()
})
afterAll(() => storage.close())

const pieces = { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 } as const

const storedAs = (changes: Partial<StoredSource> = {}): StoredSource => ({
  title: 'My film',
  contentType: 'video/mp4',
  sizeBytes: 1_000,
  durationSeconds: 6,
  ...changes,
})

const audioOf = (path: string, stored?: StoredSource) =>
  web.start<AudioOrder>('audio', orFromStorage(prepareAudio), {
    url: `${storage.url}${path}`,
    pieces,
    ...(stored && { stored }),
  })

const captionsOf = (path: string) =>
  web.start<CaptionsOrder>('captions', orFromStorage(findCaptions), {
    url: `${storage.url}${path}`,
    language: null,
    stored: storedAs({ durationSeconds: null }),
  })

describe('audio of a stored file', () => {
  test('is read past the guard, once, and is no download', async () => {
    const before = storage.sentBytes
    await audioOf('/media/faststart.mp4', storedAs())
    const result = resultOf(web, 'audio')
    expect(result).toMatchObject({ downloadedBytes: 0, durationSeconds: 6, pieces: [{ offsetSeconds: 0 }] })
    expect(
      web.fake.progress.every(({ downloadedBytes, totalBytes }) => downloadedBytes === 0 && totalBytes === null),
    ).toBe(true)
    expect(web.fake.progress.some(({ durationSeconds }) => durationSeconds === 6)).toBe(true)
    expect(storage.sentBytes - before).toBe(readFileSync(fixture('faststart.mp4')).length)
  })

  test('whose length is not known is looked at first', async () => {
    await audioOf('/media/faststart.mp4', storedAs({ durationSeconds: null }))
    expect(resultOf(web, 'audio').durationSeconds).toBe(6)
  })

  test('at such an address is read only if the order says that it is stored', async () => {
    await audioOf('/media/faststart.mp4')
    expect(codeOf(web)).toBe('SOURCE_UNREACHABLE')
  })

  test.each([
    ['answers with 503', '?status=503&retryAfter=0'],
    ['has lost the file', '/nothing-here'],
    ['denies the access', '?status=403'],
  ])('is given back, not failed, when storage %s', async (_, fault) => {
    await audioOf(`/media/faststart.mp4${fault}`, storedAs())
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack' })
  })

  test('that is not complete fails, and the message is about the file', async () => {
    await audioOf('/media/truncated.mp4', storedAs())
    expect(outcomeOf(web)).toMatchObject({
      status: 'failed',
      code: 'SOURCE_TRUNCATED',
      message: 'The file ends too early.',
    })
  })
})

describe('captions of a stored file', () => {
  test('are its own tracks', async () => {
    await captionsOf('/media/subtitled/mov_text.mp4')
    const { facts, transcript } = resultOf(web, 'captions')
    expect([facts?.segments, transcript]).toEqual([expect.any(Number), expect.anything()])
  })

  test('are none where the file has none, with the length for a quote', async () => {
    await captionsOf('/media/faststart.mp4')
    expect(resultOf(web, 'captions')).toMatchObject({ transcript: null, withheld: null, durationSeconds: 6 })
  })

  test('are not looked for in pages that the file might be: it is no media', async () => {
    await captionsOf('/page/video.html')
    expect(codeOf(web)).toBe('SOURCE_UNSUPPORTED')
  })
})
