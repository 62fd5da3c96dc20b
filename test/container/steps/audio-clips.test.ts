import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ffmpegProgram } from '../../../container/sandbox/program-files.ts'
import type { AudioOrder } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { python } from '../source/extractor/shared-extractor.ts'
import { codeOf, createStepHarness, outcomeOf, prepareAudio, resultOf } from './step-harness.ts'

const web = createStepHarness()

const start = (path: string, [from, to]: [number | null, number | null], more: Partial<AudioOrder> = {}) =>
  web.start<AudioOrder>('audio', prepareAudio, {
    url: `${web.origin.url}/media/${path}`,
    pieces: { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 },
    clip: { startSeconds: from, endSeconds: to },
    ...more,
  })

const SAMPLE_RATE = 16_000

/** The samples of a whole file. Its tone rises, so that no two moments sound the same. */
const wholeSamples = (name: string): Int16Array => {
  const args = ['-v', 'error', '-i', fixture(name), '-map', '0:a:0', '-af', 'aresample=async=1:first_pts=0']
  const pcm = execFileSync(
    ffmpegProgram('ffmpeg'),
    [...args, '-ac', '1', '-ar', `${SAMPLE_RATE}`, '-f', 's16le', '-'],
    { maxBuffer: 1e8 },
  )
  return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)
}

/** How much two recordings differ, from 0. A shift by one millisecond gives more than 0.5. */
const difference = (one: Int16Array, other: Int16Array): number => {
  // The first packet of a decoder has less sound.
  const skipped = SAMPLE_RATE / 10
  let [sum, level] = [0, 0]
  for (let at = skipped; at < Math.min(one.length, other.length); at++) {
    sum += Math.abs((one[at] ?? 0) - (other[at] ?? 0))
    level += Math.abs(one[at] ?? 0)
  }
  return sum / level
}

/** By how many milliseconds a clip of the film starts too late. The first second is compared. */
const delayMs = (bytes: Buffer, from: number): number => {
  const samples = new Int16Array(new Uint8Array(bytes.subarray(0, SAMPLE_RATE * 2)).buffer)
  const whole = wholeSamples('film.mp4')
  const lags = Array.from({ length: 201 }, (_, index) => (index - 100) * 8)
  const differences = lags.map((lag) => difference(samples, whole.subarray(from * SAMPLE_RATE + lag)))
  const least = Math.min(...differences)
  expect(least).toBeLessThan(0.5)
  return ((lags[differences.indexOf(least)] ?? Number.NaN) / SAMPLE_RATE) * 1_000
}

describe.runIf(existsSync(python))('a clip to be transcribed', () => {
  test.each([
    ['film.mp4', 0],
    ['film-sound.mp3', 0],
    ['film.webm', 1],
    ['film-hls/stream.m3u8', 0],
    // The durations of segments with sound alone include what the encoder puts before it: a packet of 21 ms.
    ['film-hls-fmp4/master.m3u8', 43],
    ['film-dash/manifest.mpd', 43],
  ])('%s starts at its start, with the times of the media', async (path, toleranceMs) => {
    await start(path, [5, 9])
    const { pieces, durationSeconds, mediaSeconds } = resultOf(web, 'audio')
    expect(durationSeconds).toBe(4)
    expect(mediaSeconds).toBeCloseTo(12, 0)
    expect(pieces).toMatchObject([{ offsetSeconds: 5, durationSeconds: expect.closeTo(4, 1) }])
    const bytes = web.fake.stored(pieces[0]?.upload as { key: string; uploadId: null; parts: null })
    expect(Math.abs(delayMs(bytes as Buffer, 5))).toBeLessThanOrEqual(toleranceMs)
  })

  test('has its length reported before the download, because it is what speech recognition costs', async () => {
    await start('film.mp4', [5, 9])
    expect(web.fake.progress.find(({ durationSeconds }) => durationSeconds !== undefined)).toMatchObject({
      durationSeconds: 4,
      downloadedBytes: 0,
    })
  })

  test('of segments downloads only those that it overlaps', async () => {
    await start('film-hls-fmp4/master.m3u8', [5, 9])
    expect(resultOf(web, 'audio').downloadedBytes).toBeLessThan(60_000)
  })

  test('whose end is after the media ends with it', async () => {
    await start('film.mp4', [10, 100])
    expect(resultOf(web, 'audio')).toMatchObject({ durationSeconds: 2, mediaSeconds: 12 })
  })

  test('with only an end starts with the media', async () => {
    await start('film-hls/stream.m3u8', [null, 3])
    expect(resultOf(web, 'audio')).toMatchObject({ durationSeconds: 3, pieces: [{ offsetSeconds: 0 }] })
  })

  test.each([
    ['that starts after the end of the media', 'film.mp4', [12, null], {}, 'CLIP_OUT_OF_RANGE'],
    ['that is longer than the limit', 'film.mp4', [1, 9], { maxDurationSeconds: 6 }, 'MEDIA_TOO_LONG'],
    ['of media without sound', 'video-only.mp4', [1, 2], {}, 'NO_AUDIO'],
  ] as const)('%s fails', async (_title, path, [from, to], limits, code) => {
    await start(path, [from, to], { limits: limits as AudioOrder['limits'] })
    expect(codeOf(web), JSON.stringify(outcomeOf(web))).toBe(code)
  })
})
