import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createGuard } from '../../../container/egress/guard.ts'
import { describeSource } from '../../../container/lookups/metadata.ts'
import { findCaptions } from '../../../container/steps/captions.ts'
import type { AudioOrder, CaptionsOrder, Clip } from '../../../domain/protocol/protocol.ts'
import { sizeOfFixture } from '../../doubles/origin/fixtures.ts'
import { ffmpeg, scratchFolder } from '../audio/recordings.ts'
import { python, sharedExtractors } from '../source/extractor/shared-extractor.ts'
import { createStepHarness, prepareAudio, resultOf } from './step-harness.ts'

/** What a preview, a job without captions and the first report of a job with a provider say of the same URL. */

const folder = scratchFolder()
const web = createStepHarness()
const own = createStepHarness(folder)
const workRoot = scratchFolder()
const filmBytes = sizeOfFixture('faststart.mp4')

beforeAll(() => {
  const tones = ['-f', 'lavfi', '-t', '20', '-i', 'sine=440', '-map', '0', '-map', '0', '-c:a', 'aac']
  const qualities = ['-b:a:0', '32k', '-b:a:1', '160k', '-seg_duration', '2', '-f', 'dash']
  ffmpeg([...tones, ...qualities, join(folder, 'manifest.mpd')])
  ffmpeg(['-f', 'lavfi', '-t', '60', '-i', 'sine=440', '-b:a', '320k', '-write_xing', '0', join(folder, 'untold.mp3')])
  const film = ['-f', 'lavfi', '-t', '30', '-i', 'testsrc2=s=640x360:r=10', '-f', 'lavfi', '-t', '30', '-i', 'sine=440']
  ffmpeg([...film, '-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '2M', '-g', '10', join(folder, 'film.mp4')])
})

interface Said {
  seconds: number | null
  isEstimate: boolean
  bytes: number | null
}

type Harness = ReturnType<typeof createStepHarness>

const previewed = async (url: string, { origin }: Harness): Promise<Said | null> => {
  const guard = createGuard({ allow: origin.host, lookup: async () => [] })
  const tools = { guard, extractors: sharedExtractors, workRoot, log: () => {} }
  const response = await describeSource({ url, timeoutMs: 20_000 }, tools, never)
  if (response.status !== 'done') throw new Error(JSON.stringify(response))
  const { speech } = response.source
  if (!speech) return null
  const { durationSeconds, durationIsEstimate, downloadBytes } = speech
  return { seconds: durationSeconds, isEstimate: durationIsEstimate, bytes: downloadBytes }
}

const quoted = async (url: string, harness: Harness, clip?: Clip): Promise<Said> => {
  await harness.start<CaptionsOrder>('captions', findCaptions, { url, language: null, ...(clip && { clip }) })
  const { durationSeconds, durationIsEstimate = false, audioBytes = null } = resultOf(harness, 'captions')
  harness.fake.outcomes.length = 0
  return { seconds: durationSeconds, isEstimate: durationIsEstimate, bytes: audioBytes }
}

const reported = async (url: string, harness: Harness, clip?: Clip): Promise<Said> => {
  const pieces = { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 } as const
  harness.fake.progress.length = 0
  const stopWhen = ({ durationSeconds }: { durationSeconds?: number | null | undefined }) =>
    durationSeconds !== undefined
  const order = { url, pieces, ...(clip && { clip }) }
  await harness.start<AudioOrder>('audio', prepareAudio, order, { behaviour: { stopWhen } })
  const report = harness.fake.progress.find(stopWhen)
  const { durationSeconds = null, durationIsEstimate = false, totalBytes, estimatedBytes } = report ?? {}
  return { seconds: durationSeconds, isEstimate: durationIsEstimate, bytes: totalBytes ?? estimatedBytes ?? null }
}

const never = new AbortController().signal

const all = async (path: string, harness: Harness) => {
  const url = `${harness.origin.url}${path}`
  return {
    preview: await previewed(url, harness),
    quote: await quoted(url, harness),
    report: await reported(url, harness),
  }
}

const expectOne = async (path: string, harness: Harness, expected: Partial<Said>) => {
  const { preview, quote, report } = await all(path, harness)
  expect(preview).toMatchObject(expected)
  expect([quote, report]).toEqual([preview, preview])
}

describe('a preview, a quote and the first report name the same length and the same bytes', () => {
  describe.runIf(existsSync(python))('of a page', () => {
    test('with several qualities: those of the lowest that has sound', () =>
      expectOne('/media/manifest.mpd', own, { seconds: expect.closeTo(20, 6), bytes: (20 * 32_000) / 8 }))

    test('that states neither length nor size: those of its smallest file', () =>
      expectOne('/page/qualities.html', web, { bytes: sizeOfFixture('clip.webm'), isEstimate: false }))

    test('that states its length: the size of its file', () => {
      const swap = encodeURIComponent(`http://origin|${web.origin.url}`)
      return expectOne(`/page/stated.html?swap=${swap}`, web, { seconds: 6, bytes: filmBytes })
    })

    test.each([
      ['whose bitrate is stated', '/media/hls-ts/master.m3u8'],
      ['whose bitrate is not', '/media/hls-ts/stream_0.m3u8'],
      ['with the sound in segments of its own', '/page/hls.html'],
      ['in ranges of one file', '/media/hls-ranges/stream.m3u8'],
    ])('with a playlist %s', (_, path) =>
      expectOne(path, web, { seconds: expect.closeTo(6, 0), bytes: expect.any(Number) }),
    )

    test('without sound: a preview and a quote name none', async () => {
      const { preview, quote } = await all('/page/mute.html', web)
      expect([preview, quote]).toEqual([null, { seconds: null, isEstimate: false, bytes: null }])
    })
  })

  describe('of a file', () => {
    test('that states its length', () =>
      expectOne('/media/faststart.mp4', web, { seconds: 6, isEstimate: false, bytes: filmBytes }))

    test('whose length is estimated', () =>
      expectOne('/media/untold.mp3', own, { seconds: expect.closeTo(60, 0), isEstimate: true }))

    test('of unknown size', () => expectOne('/media/faststart.mp4?chunked', web, { seconds: 6, bytes: null }))

    test('of unknown length', () => expectOne('/media/fragmented.mp4?chunked', web, { seconds: null, bytes: null }))
  })
})

describe('a quote and the first report name the same of a clip', () => {
  const clip = { startSeconds: 10, endSeconds: 14 }
  const both = async (path: string, harness: Harness) => {
    const url = `${harness.origin.url}${path}`
    const quote = await quoted(url, harness, clip)
    expect(await reported(url, harness, clip)).toEqual(quote)
    return quote
  }

  test('of a file: the ranges that are downloaded', async () => {
    const whole = statSync(join(folder, 'film.mp4')).size
    const { seconds, bytes } = await both('/media/film.mp4', own)
    expect(seconds).toBe(4)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(whole / 3)
  })

  test('of a file at an origin without ranges: all of it', async () => {
    const { seconds, bytes } = await both('/media/film.mp4?noRange', own)
    expect([seconds, bytes]).toEqual([4, statSync(join(folder, 'film.mp4')).size])
  })

  test.runIf(existsSync(python))('of segments: their share of the time', async () => {
    const { seconds, bytes } = await both('/media/manifest.mpd', own)
    expect(seconds).toBe(4)
    expect(bytes).toBeGreaterThanOrEqual((4 * 32_000) / 8)
    expect(bytes).toBeLessThan((20 * 32_000) / 8 / 2)
  })
})
