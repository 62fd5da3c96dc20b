import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FetchOrder, Selection } from '../../container/protocol.ts'
import { fetchMedia } from '../../container/steps/fetch.ts'
import { sha256 } from '../digest.ts'
import { fixture } from '../origin/fixtures.ts'
import type { Behaviour } from './fake-worker.ts'
import { scratchFolder } from './sound.ts'
import { type Asked, codeOf, outcomeOf, python, resultOf, stepBench } from './step-run.ts'

const MiB = 1024 * 1024
const web = stepBench()
const folder = scratchFolder()

interface Wish {
  selection?: Partial<Selection>
  limits?: Asked<FetchOrder>['limits']
  behaviour?: Partial<Behaviour>
  stopping?: AbortSignal
}

const everything: Selection = { includeVideo: true, includeAudio: true, videoQuality: '1080p', audioQuality: 'best' }

const start = (path: string, { selection, limits, ...options }: Wish = {}) =>
  web.start<FetchOrder>(
    'fetch',
    fetchMedia,
    {
      url: `${web.origin.url}${path}`,
      selection: { ...everything, ...selection },
      limits: { maxBytes: 100 * MiB, maxDurationSeconds: 3_600, ...limits },
    },
    options,
  )

const failureOf = async (path: string, wish?: Wish) => {
  await start(path, wish)
  return codeOf(web)
}

const imported = async (path: string, wish?: Wish) => {
  await start(path, wish)
  const { media, thumbnail, facts } = resultOf(web, 'fetch')
  const bytes = web.fake.stored(media)
  if (!bytes) throw new Error('the upload does not add up')
  expect(web.fake.uploads.findLast(({ kind }) => kind === 'media')).toMatchObject({ contentType: facts.contentType })
  expect(facts.sizeBytes).toBe(bytes.length)
  expect(media.sizeBytes).toBe(bytes.length)
  expect(facts.sha256).toBe(sha256(bytes))
  return { bytes, facts, thumbnail: thumbnail && web.fake.stored(thumbnail) }
}

/** Decodes all of it: says something when a single frame is broken. */
const complaints = (bytes: Buffer, extension: string): string => {
  const path = join(folder, `made.${extension}`)
  writeFileSync(path, bytes)
  return execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'null', '-'], { encoding: 'utf8' })
}

const soundOnly = { selection: { includeVideo: false } }
const pictureOnly = { selection: { includeAudio: false } }

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

  test('tells what it is', async () => {
    const { facts, thumbnail } = await imported('/media/faststart.mp4')
    expect(facts).toMatchObject({ width: 640, height: 360, videoCodec: 'h264', audioCodec: 'aac', durationSeconds: 6 })
    expect(thumbnail?.subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8))
  })

  test('that is wanted without its picture gives its sound, and all that was downloaded counts', async () => {
    const { bytes, facts } = await imported('/media/faststart.mp4', soundOnly)
    const whole = readFileSync(fixture('faststart.mp4')).length
    expect(facts).toMatchObject({ extension: 'm4a', contentType: 'audio/mp4', videoCodec: null, audioCodec: 'aac' })
    expect(facts.downloadedBytes).toBe(whole)
    expect(bytes.length).toBeLessThan(whole)
    expect(complaints(bytes, 'm4a')).toBe('')
  })

  test('that is wanted without its sound gives its picture', async () => {
    const { bytes, facts } = await imported('/media/clip.webm', pictureOnly)
    expect(facts).toMatchObject({ extension: 'webm', videoCodec: 'vp8', audioCodec: null })
    expect(complaints(bytes, 'webm')).toBe('')
  })

  test.each([
    ['the sound of a silent film', '/media/video-only.mp4', soundOnly, 'NO_AUDIO'],
    ['the picture of a song', '/media/tone.mp3', pictureOnly, 'NO_VIDEO'],
    ['a film that was cut short', '/media/truncated.mp4', {}, 'SOURCE_TRUNCATED'],
    ['a film without its index', '/media/no-index.mp4', {}, 'SOURCE_TRUNCATED'],
    ['a picture', '/media/still.jpg', {}, 'SOURCE_UNSUPPORTED'],
    ['what is not there', '/media/nowhere.mp4', {}, 'SOURCE_NOT_FOUND'],
    ['more bytes than are allowed', '/media/faststart.mp4', { limits: { maxBytes: 1_000 } }, 'MEDIA_TOO_LARGE'],
    ['a film that is too long', '/media/faststart.mp4', { limits: { maxDurationSeconds: 5 } }, 'MEDIA_TOO_LONG'],
  ])('%s fails', async (_title, path, wish, code) => {
    expect(await failureOf(path, wish)).toBe(code)
    expect(outcomeOf(web)).toMatchObject({ message: expect.stringMatching(/\.$/) })
  })

  test('of unknown length that grows beyond the limit fails', async () => {
    expect(await failureOf('/media/faststart.mp4?chunked', { limits: { maxBytes: 100_000 } })).toBe('MEDIA_TOO_LARGE')
  })

  test('whose connection breaks is fetched on, and no byte is counted twice', async () => {
    const { bytes, facts } = await imported('/media/faststart.mp4?cutAfter=100000')
    expect(facts.downloadedBytes).toBe(bytes.length)
  })
})

describe('a large file', () => {
  const size = 30 * MiB
  const path = `/generated/${size}.mp4`

  test('is uploaded in parts while it still arrives', async () => {
    const held = `${path}?noRange&holdAfter=${20 * MiB}`
    const importing = imported(held)
    await expect.poll(() => web.fake.puts.length).toBeGreaterThan(2)
    web.origin.letGo(held)
    expect((await importing).facts.sizeBytes).toBe(size)
    expect(web.fake.puts.filter(({ part }) => part !== null)).toHaveLength(6)
  })

  test('says its size before most of it has come, and then how far it is', async () => {
    const held = `${path}?noRange&holdAfter=${size / 4}`
    const importing = imported(held)
    await expect
      .poll(() => web.fake.progress.find(({ percent }) => (percent ?? 0) > 10))
      .toMatchObject({
        totalBytes: size,
        bytesPerSecond: expect.any(Number),
      })
    web.origin.letGo(held)
    await importing
    const first = web.fake.progress.find(({ totalBytes }) => totalBytes !== null)
    expect(first?.totalBytes).toBe(size)
    const percents = web.fake.progress.map(({ percent }) => percent ?? 0)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
  })

  test('is not downloaded when the account refuses its size', async () => {
    const before = web.origin.requests.length
    await start(`${path}?ratePerSecond=${MiB / 8}`, {
      behaviour: { stopWhen: ({ totalBytes }) => totalBytes === size },
    })
    expect(web.fake.outcomes).toEqual([])
    expect(web.fake.progress.at(-1)?.downloadedBytes).toBeLessThan(size / 4)
    expect(web.origin.requests.length - before).toBeLessThan(10)
  })
})

describe('a step ends before its work is done', () => {
  const slow = `/generated/${30 * MiB}.mp4?ratePerSecond=${MiB}`

  test('without a word when its lease is lost', async () => {
    await start(slow, { behaviour: { progress: 'lost' } })
    expect(web.fake.outcomes).toEqual([])
  })

  test('as TIMED_OUT when its time is up', async () => {
    expect(await failureOf(slow, { limits: { timeoutMs: 700 } })).toBe('TIMED_OUT')
  })

  test('given back when the container stops', async () => {
    const stopping = new AbortController()
    const running = start(slow, { stopping: stopping.signal })
    await expect.poll(() => web.fake.progress.length).toBeGreaterThan(0)
    stopping.abort()
    await running
    expect(web.fake.outcomes).toMatchObject([{ status: 'gaveBack' }])
  })

  test('given back when the storage does not accept, for that is no fault of the source', async () => {
    expect(await failureOf('/media/faststart.mp4', { behaviour: { failPuts: 1_000 } })).toBe('gaveBack')
  })
})

test('an outcome that does not get through at once is told again', async () => {
  await imported('/media/tone.mp3', { behaviour: { failOutcomes: 2 } })
})

test('the media of a part that failed is sent again', async () => {
  await imported(`/generated/${12 * MiB}.mp4`, { behaviour: { failPuts: 1 } })
})

describe.runIf(existsSync(python))('a manifest', () => {
  test.each([
    ['HLS of transport stream segments', '/media/hls-ts/master.m3u8'],
    ['HLS with fMP4 and separate sound', '/media/hls-fmp4/master.m3u8'],
    ['HLS of byte ranges', '/media/hls-ranges/stream.m3u8'],
    ['encrypted HLS', '/media/hls-aes/stream.m3u8'],
    ['DASH', '/media/dash/manifest.mpd'],
  ])('%s becomes an mp4 that plays from end to end', async (_title, path) => {
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
    expect(complaints(bytes, 'mp4')).toBe('')
  })

  test('that leads to manifests instead of media is not supported', async () => {
    const path = '/media/hls-ts/master.m3u8?swap=stream_0.m3u8|master.m3u8'
    expect(await failureOf(path)).toBe('SOURCE_UNSUPPORTED')
  })

  test('with separate sound gives the sound alone without downloading the picture', async () => {
    const { bytes, facts } = await imported('/media/hls-fmp4/master.m3u8', soundOnly)
    expect(facts).toMatchObject({ extension: 'm4a', videoCodec: null })
    expect(facts.downloadedBytes).toBeLessThan(200_000)
    expect(complaints(bytes, 'm4a')).toBe('')
  })

  test('without separate sound gives the sound of the smallest film, and that film is what counts', async () => {
    const { facts } = await imported('/media/hls-ts/master.m3u8', soundOnly)
    const names = readdirSync(fixture('hls-ts')).filter((name) => /^stream_1_.*ts$/.test(name))
    const smallest = names.reduce((sum, name) => sum + readFileSync(fixture(`hls-ts/${name}`)).length, 0)
    expect(facts).toMatchObject({ extension: 'm4a', downloadedBytes: smallest })
  })

  test('is downloaded at the height that was asked for', async () => {
    const { facts } = await imported('/media/hls-fmp4/master.m3u8', { selection: { videoQuality: '240p' } })
    expect(facts.height).toBe(180)
  })

  test('a page gives its video and its picture', async () => {
    const { bytes, facts, thumbnail } = await imported('/page/video.html')
    expect(bytes.equals(readFileSync(fixture('faststart.mp4')))).toBe(true)
    expect(facts.title).toContain('A page with a video')
    expect(thumbnail?.subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8))
  })
})
