import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { longestOf } from '../../../container/media/limits.ts'
import { toEncode } from '../../../container/media/spending.ts'
import type { AudioOrder } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { clip, ffmpeg, samplesOf, scratchFolder } from '../audio/recordings.ts'
import { python } from '../source/extractor/shared-extractor.ts'
import type { Behaviour } from './fake-worker.ts'
import { codeOf, createStepHarness, type OrderFields, outcomeOf, prepareAudio, resultOf } from './step-harness.ts'

const web = createStepHarness()
const folder = scratchFolder()
const recordings = createStepHarness(folder)

const samples = { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 } as const
const opus = { encoding: 'opus', maxBytes: 26_000_000, maxSeconds: 1_200 } as const

interface Options {
  pieces?: AudioOrder['pieces']
  limits?: OrderFields<AudioOrder>['limits']
  behaviour?: Partial<Behaviour>
  diskBytes?: number
}

const start = (path: string, { pieces = samples, limits = {}, ...options }: Options = {}, harness = web) =>
  harness.start<AudioOrder>('audio', prepareAudio, { url: `${harness.origin.url}${path}`, pieces, limits }, options)

const preparedFrom = async (path: string, options: Options = {}, harness = web) => {
  await start(path, options, harness)
  const result = resultOf(harness, 'audio')
  const pieces = result.pieces.map((piece) => {
    const bytes = harness.fake.stored(piece.upload)
    if (!bytes) throw new Error('the upload is incomplete')
    expect(piece.upload.sizeBytes).toBe(bytes.length)
    return { ...piece, bytes }
  })
  return { ...result, pieces }
}

/** Recordings made from LibriVox clips, in the folder that `recordings` serves. */
const speech = (['0870', '0880', '0890', '0920', '0930'] as const).map(clip)
const list = join(folder, 'list.txt')
beforeAll(() => {
  writeFileSync(list, speech.map((path) => `file '${path}'\n`).join(''))
  ffmpeg(['-f', 'concat', '-safe', '0', '-i', list, '-c:a', 'aac', '-b:a', '32k', join(folder, 'speech.m4a')])
  const loop = (times: string, name: string) =>
    ffmpeg(['-stream_loop', times, '-i', join(folder, 'speech.m4a'), '-c', 'copy', join(folder, name)])
  loop('9', 'four-minutes.m4a')
  loop('2', 'a-minute.m4a')
  const silence = 'anullsrc=r=16000:cl=mono'
  ffmpeg(['-f', 'lavfi', '-t', '20', '-i', silence, '-c:a', 'aac', join(folder, 'silence.m4a')])
  const between = ['-filter_complex', '[0:a]asplit[a][b];[a][1:a][b]concat=n=3:v=0:a=1']
  const speechAndGap = ['-i', join(folder, 'speech.m4a'), '-f', 'lavfi', '-t', '120', '-i', silence]
  ffmpeg([...speechAndGap, ...between, '-c:a', 'flac', join(folder, 'gap.flac')])
})

describe('a direct file', () => {
  test('whose samples do not fit on the disk is given back without using an attempt', async () => {
    const sound = toEncode(longestOf(6) + 1, 32_000)
    const neededBytes = readFileSync(fixture('tone.mp3')).length + sound.bytes
    await start('/media/tone.mp3', { diskBytes: neededBytes - 10_000 })
    const outcome = outcomeOf(web)
    expect(outcome).toMatchObject({ status: 'gaveBack', usesAttempt: false, diskBytes: expect.any(Number) })
    const { diskBytes = 0 } = outcome as { diskBytes?: number }
    expect(Math.abs(diskBytes - neededBytes)).toBeLessThan(5_000)
  })

  test('becomes 16 kHz mono samples, and all downloaded bytes are counted', async () => {
    const { pieces, durationSeconds, downloadedBytes } = await preparedFrom('/media/faststart.mp4')
    expect(downloadedBytes).toBe(readFileSync(fixture('faststart.mp4')).length)
    expect(durationSeconds).toBe(6)
    expect(pieces).toMatchObject([{ offsetSeconds: 0, durationSeconds: expect.closeTo(6, 1) }])
    expect(pieces[0]?.bytes.length).toBeCloseTo(6 * 32_000, -4)
    expect(web.fake.uploads).toMatchObject([{ kind: 'audio', index: 0, contentType: 'application/octet-stream' }])
  })

  test('becomes Opus when Opus is requested', async () => {
    const { pieces } = await preparedFrom('/media/faststart.mp4', { pieces: opus })
    expect(pieces[0]?.bytes.subarray(0, 4).toString()).toBe('OggS')
    expect(web.fake.uploads[0]).toMatchObject({ contentType: 'audio/ogg' })
  })

  test('has its duration and size reported before the rest is downloaded', async () => {
    const size = 12_000_000
    await preparedFrom(`/generated/${size}.mp4?ratePerSecond=6000000`)
    const report = web.fake.progress.find(({ durationSeconds }) => durationSeconds !== undefined)
    expect(report).toMatchObject({ durationSeconds: 6, totalBytes: size, downloadedBytes: 0 })
  })

  test('is not downloaded when the Worker stops the step after the duration report', async () => {
    const before = web.origin.requests.length
    await start('/generated/30000000.mp4', { behaviour: { stopWhen: ({ durationSeconds }) => durationSeconds === 6 } })
    expect(web.fake.outcomes).toEqual([])
    expect(web.fake.progress.every(({ downloadedBytes }) => downloadedBytes === 0)).toBe(true)
    expect(web.origin.requests.length - before).toBeLessThanOrEqual(2)
  })

  test('of unknown duration has a duration of null reported', async () => {
    await preparedFrom('/media/fragmented.mp4?chunked')
    const report = web.fake.progress.find(({ durationSeconds }) => durationSeconds !== undefined)
    expect(report).toMatchObject({ durationSeconds: null, downloadedBytes: 0 })
  })

  test('that is only the header of a WAV has no length to pay for, and fails', async () => {
    const header = 'RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80>\0\0\0}\0\0\x02\0\x10\0data\0\0\0\0'
    writeFileSync(join(folder, 'empty.wav'), header, 'latin1')
    await start('/media/empty.wav', {}, recordings)
    expect(codeOf(recordings)).toBe('NO_AUDIO')
    expect(recordings.fake.progress.map(({ durationSeconds }) => durationSeconds)).not.toContain(null)
  })

  test.each([
    ['a video without audio', '/media/video-only.mp4', {}, 'NO_AUDIO'],
    ['a truncated video', '/media/truncated.mp4', {}, 'SOURCE_TRUNCATED'],
    ['a file above the size limit', '/media/faststart.mp4', { limits: { maxBytes: 1_000 } }, 'MEDIA_TOO_LARGE'],
    [
      'a video whose duration above the limit is found only after the download',
      '/media/fragmented.mp4?chunked',
      { limits: { maxDurationSeconds: 5 } },
      'MEDIA_TOO_LONG',
    ],
  ])('%s fails', async (_title, path, options, code) => {
    await start(path, options)
    expect(codeOf(web)).toBe(code)
    expect(web.fake.uploads).toEqual([])
  })

  test('above the duration limit is not downloaded', async () => {
    const before = web.origin.requests.length
    await start('/generated/30000000.mp4', { limits: { maxDurationSeconds: 5 } })
    expect(codeOf(web)).toBe('MEDIA_TOO_LONG')
    expect(web.origin.requests.length - before).toBeLessThanOrEqual(2)
  })
})

test.runIf(existsSync(python))('of a manifest with separate audio the video is not downloaded', async () => {
  const { pieces, durationSeconds, downloadedBytes } = await preparedFrom('/media/hls-fmp4/master.m3u8')
  expect(durationSeconds).toBeCloseTo(6, 0)
  expect(downloadedBytes).toBeLessThan(200_000)
  expect(pieces[0]?.bytes.length).toBeCloseTo(6 * 32_000, -4)
  expect(web.fake.progress.find((report) => report.durationSeconds !== undefined)?.durationSeconds).toBe(6)
})

describe('speech', () => {
  test('is cut at pauses, and the joined pieces equal the recording to the sample', async () => {
    const pieces = { ...samples, maxSeconds: 60 }
    const prepared = await preparedFrom('/media/four-minutes.m4a', { pieces }, recordings)
    expect(prepared.pieces.length).toBeGreaterThanOrEqual(5)
    const whole = samplesOf('-i', join(folder, 'four-minutes.m4a'))
    expect(Buffer.concat(prepared.pieces.map(({ bytes }) => bytes)).equals(whole)).toBe(true)
    let at = 0
    for (const { offsetSeconds, durationSeconds, bytes } of prepared.pieces) {
      expect(offsetSeconds).toBeCloseTo(at, 6)
      expect(durationSeconds).toBeLessThanOrEqual(60)
      expect(bytes.length).toBe(Math.round(durationSeconds * 32_000))
      at += durationSeconds
    }
    expect(prepared.durationSeconds).toBeCloseTo(247.3, 0)
  })

  test('as Opus stays within the size limit of each piece', async () => {
    const pieces = { ...opus, maxBytes: 60_000 }
    const prepared = await preparedFrom('/media/a-minute.m4a', { pieces }, recordings)
    expect(prepared.pieces.length).toBeGreaterThanOrEqual(4)
    for (const { bytes, durationSeconds } of prepared.pieces) {
      expect(bytes.length).toBeLessThanOrEqual(60_000)
      const path = join(folder, 'piece.ogg')
      writeFileSync(path, bytes)
      expect(samplesOf('-i', path).length / 32_000).toBeCloseTo(durationSeconds, 1)
    }
    expect(recordings.fake.uploads.map(({ index }) => index).toSorted()).toEqual(
      prepared.pieces.map((_, index) => index),
    )
  })

  test('has its silent pieces skipped, and the others keep their offsets', async () => {
    const { pieces, durationSeconds } = await preparedFrom(
      '/media/gap.flac',
      { pieces: { ...samples, maxSeconds: 30 } },
      recordings,
    )
    expect(durationSeconds).toBeCloseTo(169.5, 0)
    const last = pieces.at(-1)
    expect((last?.offsetSeconds ?? 0) + (last?.durationSeconds ?? 0)).toBeCloseTo(durationSeconds, 1)
    expect(pieces.reduce((sum, piece) => sum + piece.durationSeconds, 0)).toBeLessThan(120)
  })

  test('that is silence fails with NO_SPEECH', async () => {
    await start('/media/silence.m4a', {}, recordings)
    expect(codeOf(recordings)).toBe('NO_SPEECH')
    expect(recordings.fake.uploads).toEqual([])
  })

  test('has its progress reported, which never decreases', async () => {
    const heldPath = '/generated/12000000.mp4?noRange&holdAfter=6000000'
    const preparing = preparedFrom(heldPath, { pieces: opus })
    const percents = () => web.fake.progress.map(({ percent }) => percent ?? 0)
    await expect.poll(() => percents().some((percent) => percent > 10 && percent < 60)).toBe(true)
    web.origin.release(heldPath)
    await preparing
    expect(percents()).toEqual(percents().toSorted((one, other) => one - other))
  })
})
