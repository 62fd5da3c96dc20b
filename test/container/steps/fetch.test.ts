import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { fetchMedia } from '../../../container/steps/fetch.ts'
import type { FetchOrder, PlannedUploads, Selection } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { sha256 } from '../../support/sha256.ts'
import { ffmpeg, scratchFolder } from '../audio/recordings.ts'
import { python } from '../source/extractor/shared-extractor.ts'
import type { Behaviour } from './fake-worker.ts'
import { codeOf, createStepHarness, type OrderFields, outcomeOf, resultOf } from './step-harness.ts'

const MiB = 1024 * 1024
const web = createStepHarness()
const folder = scratchFolder()
const own = createStepHarness(folder)

interface Options {
  selection?: Partial<Selection>
  limits?: OrderFields<FetchOrder>['limits']
  behaviour?: Partial<Behaviour>
  uploads?: PlannedUploads
}

const everything: Selection = { includeVideo: true, includeAudio: true, videoQuality: '1080p', audioQuality: 'best' }

const start = (path: string, { selection, limits, uploads, ...options }: Options = {}) =>
  web.start<FetchOrder>(
    'fetch',
    fetchMedia,
    {
      url: `${web.origin.url}${path}`,
      selection: { ...everything, ...selection },
      limits: { maxBytes: 100 * MiB, maxDurationSeconds: 3_600, ...limits },
      ...(uploads && { uploads }),
    },
    options,
  )

const failureOf = async (path: string, options?: Options) => {
  await start(path, options)
  return codeOf(web)
}

const imported = async (path: string, options?: Options) => {
  await start(path, options)
  const { media, thumbnail, facts } = resultOf(web, 'fetch')
  const bytes = web.fake.stored(media)
  if (!bytes) throw new Error('the upload is incomplete')
  if (!options?.uploads)
    expect(web.fake.uploads.findLast(({ kind }) => kind === 'media')).toMatchObject({ contentType: facts.contentType })
  if (media.uploadId === null) expect(web.fake.puts).toContainEqual(put(facts))
  expect(facts.sizeBytes).toBe(bytes.length)
  expect(media.sizeBytes).toBe(bytes.length)
  expect(facts.sha256).toBe(sha256(bytes))
  return { bytes, facts, thumbnail: thumbnail && web.fake.stored(thumbnail) }
}

const put = ({ contentType }: { contentType: string }) => ({ bytes: expect.any(Number), part: null, contentType })

/** Decodes the whole file and returns ffmpeg's errors, such as a broken frame. */
const decodeErrors = (bytes: Buffer, extension: string): string => {
  const path = join(folder, `output.${extension}`)
  writeFileSync(path, bytes)
  return execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'null', '-'], { encoding: 'utf8' })
}

const audioOnly = { selection: { includeVideo: false } }
const videoOnly = { selection: { includeAudio: false } }

describe('a direct file', () => {
  test.each([
    ['faststart.mp4', 'mp4', 'video/mp4'],
    ['tail-index.mp4', 'mp4', 'video/mp4'],
    ['clip.webm', 'webm', 'video/webm'],
    ['clip.mkv', 'mkv', 'video/x-matroska'],
    ['clip.ts', 'ts', 'video/mp2t'],
    ['tone.mp3', 'mp3', 'audio/mpeg'],
    ['tone.flac', 'flac', 'audio/flac'],
    ['tone.webm', 'webm', 'audio/webm'],
  ])('%s is kept byte for byte', async (name, extension, contentType) => {
    const { bytes, facts } = await imported(`/media/${name}?type=application/octet-stream`)
    expect(bytes.equals(readFileSync(fixture(name)))).toBe(true)
    expect(facts).toMatchObject({ extension, contentType, downloadedBytes: bytes.length })
    expect(facts.title).toBe(name.split('.')[0])
  })

  test('has its streams, duration and thumbnail reported', async () => {
    const { facts, thumbnail } = await imported('/media/faststart.mp4')
    expect(facts).toMatchObject({ width: 640, height: 360, videoCodec: 'h264', audioCodec: 'aac', durationSeconds: 6 })
    expect(thumbnail?.subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8))
  })

  test('requested without video gives its audio, and all downloaded bytes are counted', async () => {
    const { bytes, facts } = await imported('/media/faststart.mp4', audioOnly)
    const whole = readFileSync(fixture('faststart.mp4')).length
    expect(facts).toMatchObject({ extension: 'm4a', contentType: 'audio/mp4', videoCodec: null, audioCodec: 'aac' })
    expect(facts.downloadedBytes).toBe(whole)
    expect(bytes.length).toBeLessThan(whole)
    expect(decodeErrors(bytes, 'm4a')).toBe('')
  })

  test('requested without audio gives its video', async () => {
    const { bytes, facts } = await imported('/media/clip.webm', videoOnly)
    expect(facts).toMatchObject({ extension: 'webm', videoCodec: 'vp8', audioCodec: null })
    expect(decodeErrors(bytes, 'webm')).toBe('')
  })

  test.each([
    ['audio of a video without audio', '/media/video-only.mp4', audioOnly, 'NO_AUDIO'],
    ['video of an audio file', '/media/tone.mp3', videoOnly, 'NO_VIDEO'],
    ['a truncated video', '/media/truncated.mp4', {}, 'SOURCE_TRUNCATED'],
    ['a file above the size limit', '/media/faststart.mp4', { limits: { maxBytes: 1_000 } }, 'MEDIA_TOO_LARGE'],
    ['one of unknown size', '/media/faststart.mp4?chunked', { limits: { maxBytes: 100_000 } }, 'MEDIA_TOO_LARGE'],
    [
      'a video above the duration limit',
      '/media/faststart.mp4',
      { limits: { maxDurationSeconds: 5 } },
      'MEDIA_TOO_LONG',
    ],
  ])('%s fails', async (_title, path, options, code) => {
    expect(await failureOf(path, options)).toBe(code)
    expect(outcomeOf(web)).toMatchObject({ message: expect.stringMatching(/\.$/) })
  })
})

describe('a large file', () => {
  const size = 30 * MiB
  const path = `/generated/${size}.mp4`

  test('is uploaded in parts while it is downloaded', async () => {
    const heldPath = `${path}?noRange&holdAfter=${20 * MiB}`
    const importing = imported(heldPath)
    await expect.poll(() => web.fake.puts.length).toBeGreaterThan(2)
    web.origin.release(heldPath)
    expect((await importing).facts.sizeBytes).toBe(size)
    expect(web.fake.puts.filter(({ part }) => part !== null)).toHaveLength(6)
  })

  test('has its size reported first and then its progress, which never decreases', async () => {
    const heldPath = `${path}?noRange&holdAfter=${size / 4}`
    const importing = imported(heldPath)
    await expect
      .poll(() => web.fake.progress.find(({ percent }) => (percent ?? 0) > 10))
      .toMatchObject({
        totalBytes: size,
        bytesPerSecond: expect.any(Number),
      })
    web.origin.release(heldPath)
    await importing
    const first = web.fake.progress.find(({ totalBytes }) => totalBytes !== null)
    expect(first?.totalBytes).toBe(size)
    const percents = web.fake.progress.map(({ percent }) => percent ?? 0)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
  })

  test('is not downloaded further when the Worker stops the step after the size report', async () => {
    const before = web.origin.requests.length
    await start(`${path}?ratePerSecond=${MiB / 8}`, {
      behaviour: { stopWhen: ({ totalBytes }) => totalBytes === size },
    })
    expect(web.fake.outcomes).toEqual([])
    expect(web.fake.progress.at(-1)?.downloadedBytes).toBeLessThan(size / 4)
    expect(web.origin.requests.length - before).toBeLessThan(10)
  })
})

test('an upload that started with a video type is restarted when the file has no video', async () => {
  // Large enough that its upload starts before it is complete.
  const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=60:r=48000:seed=7', '-ac', '2', '-c:a', 'pcm_s16le']
  ffmpeg([...noise, join(folder, 'noise.mkv')])
  const url = `${own.origin.url}/media/noise.mkv`
  await own.start<FetchOrder>('fetch', fetchMedia, { url, selection: everything })
  const { media, facts } = resultOf(own, 'fetch')
  expect(facts).toMatchObject({ contentType: 'audio/x-matroska', extension: 'mka' })
  expect(sha256(own.fake.stored(media) ?? '')).toBe(facts.sha256)
  expect(own.fake.uploads.map(({ contentType }) => contentType)).toEqual(['video/x-matroska', 'audio/x-matroska'])
})

describe.runIf(existsSync(python))('a manifest', () => {
  test.each([
    ['HLS with transport stream segments', '/media/hls-ts/master.m3u8'],
    ['HLS with fMP4 and separate audio', '/media/hls-fmp4/master.m3u8'],
    ['DASH', '/media/dash/manifest.mpd'],
  ])('%s becomes an MP4 that decodes without errors', async (_title, path) => {
    const { bytes, facts } = await imported(path)
    expect(facts).toMatchObject({
      extension: 'mp4',
      contentType: 'video/mp4',
      width: 640,
      height: 360,
      videoCodec: 'h264',
    })
    expect(facts.audioCodec).toBe('aac')
    expect(Math.abs(facts.durationSeconds - 6)).toBeLessThan(0.3)
    expect(decodeErrors(bytes, 'mp4')).toBe('')
  })

  test('with separate audio gives the audio without downloading the video', async () => {
    const { bytes, facts } = await imported('/media/hls-fmp4/master.m3u8', audioOnly)
    expect(facts).toMatchObject({ extension: 'm4a', videoCodec: null })
    expect(facts.downloadedBytes).toBeLessThan(200_000)
    expect(decodeErrors(bytes, 'm4a')).toBe('')
  })

  test('without separate audio gives the audio of the smallest video, and all bytes of that video are counted', async () => {
    const { facts } = await imported('/media/hls-ts/master.m3u8', audioOnly)
    const names = readdirSync(fixture('hls-ts')).filter((name) => /^stream_1_.*ts$/.test(name))
    const smallest = names.reduce((sum, name) => sum + readFileSync(fixture(`hls-ts/${name}`)).length, 0)
    expect(facts).toMatchObject({ extension: 'm4a', downloadedBytes: smallest })
  })

  test('is downloaded at the requested height', async () => {
    const { facts } = await imported('/media/hls-fmp4/master.m3u8', { selection: { videoQuality: '240p' } })
    expect(facts.height).toBe(180)
  })

  test('a page gives its video and its thumbnail, which is uploaded while the video is still being downloaded', async () => {
    const target = '/media/faststart.mp4?holdAfter=300000'
    const importing = imported('/page/held.html', { uploads: web.fake.planUploads() })
    await vi.waitUntil(() => web.fake.puts.length === 1, { timeout: 30_000 })
    web.origin.release(target)
    const { bytes, facts, thumbnail } = await importing
    expect(bytes.equals(readFileSync(fixture('faststart.mp4')))).toBe(true)
    expect(facts.title).toContain('A page whose video is held')
    expect(thumbnail?.subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8))
    // The URLs of both have come with the order.
    expect(web.fake.uploads).toEqual([])
  })
})
