import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createGuard } from '../../container/egress/guard.ts'
import type { FetchOrder, Outcome, Selection } from '../../container/protocol.ts'
import { createExtractor, type WarmExtractor } from '../../container/source/extractor/extractor.ts'
import { fetchMedia } from '../../container/steps/fetch.ts'
import { runStep } from '../../container/steps/run.ts'
import { sha256 } from '../digest.ts'
import { fixture } from '../origin/fixtures.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { type Behaviour, type FakeWorker, startFakeWorker } from './fake-worker.ts'

const python = process.env.HAUL_PYTHON ?? join(import.meta.dirname, '../../.tools/venv/bin/python')
const MiB = 1024 * 1024
let origin: Origin
let extractor: WarmExtractor
let root: string
let fake: FakeWorker
beforeAll(async () => {
  origin = await startOrigin()
  extractor = createExtractor({ python })
  root = await mkdtemp(join(tmpdir(), 'haul-fetch-'))
})
beforeEach(async () => {
  fake = await startFakeWorker()
})
afterEach(async () => {
  await fake.close()
  expect(readdirSync(join(root, 'work')), 'nothing stays on disk').toEqual([])
})
afterAll(async () => {
  await extractor.close()
  await origin.close()
  await rm(root, { recursive: true, force: true })
})

interface Wish {
  selection?: Partial<Selection>
  limits?: Partial<FetchOrder['limits']>
  behaviour?: Partial<Behaviour>
  stopping?: AbortSignal
}

const start = (path: string, { selection, limits, behaviour, stopping = new AbortController().signal }: Wish = {}) => {
  Object.assign(fake.behaviour, behaviour)
  const order: FetchOrder = {
    step: 'fetch',
    jobId: 'imp_test',
    attempt: 1,
    callback: fake.callback,
    url: `${origin.url}${path}`,
    selection: { includeVideo: true, includeAudio: true, videoQuality: '1080p', audioQuality: 'best', ...selection },
    limits: { maxBytes: 100 * MiB, maxDurationSeconds: 3_600, timeoutMs: 60_000, ...limits },
  }
  const guard = createGuard({ allow: origin.host, lookup: async () => [] })
  return runStep(order, fetchMedia, { guard, extractor, workRoot: join(root, 'work'), log: () => {} }, stopping)
}

const outcomeOf = async (path: string, wish?: Wish): Promise<Outcome> => {
  await start(path, wish)
  expect(fake.outcomes).toHaveLength(1)
  return fake.outcomes[0] as Outcome
}

const imported = async (path: string, wish?: Wish) => {
  const outcome = await outcomeOf(path, wish)
  if (outcome.status !== 'done' || outcome.result.step !== 'fetch') throw new Error(JSON.stringify(outcome))
  const { media, thumbnail, facts } = outcome.result
  const bytes = fake.stored(media)
  if (!bytes) throw new Error('the upload does not add up')
  expect(facts.sizeBytes).toBe(bytes.length)
  expect(media.sizeBytes).toBe(bytes.length)
  expect(facts.sha256).toBe(sha256(bytes))
  return { bytes, facts, thumbnail: thumbnail && fake.stored(thumbnail) }
}

/** Decodes all of it: says something when a single frame is broken. */
const complaints = (bytes: Buffer, extension: string): string => {
  const path = join(root, `made.${extension}`)
  writeFileSync(path, bytes)
  return execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'null', '-'], { encoding: 'utf8' })
}

const codeOf = (outcome: Outcome) => (outcome.status === 'failed' ? outcome.code : outcome.status)
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
    const outcome = await outcomeOf(path, wish)
    expect(codeOf(outcome)).toBe(code)
    expect(outcome).toMatchObject({ message: expect.stringMatching(/\.$/) })
  })

  test('of unknown length that grows beyond the limit fails', async () => {
    const outcome = await outcomeOf('/media/faststart.mp4?chunked', { limits: { maxBytes: 100_000 } })
    expect(codeOf(outcome)).toBe('MEDIA_TOO_LARGE')
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
    const { facts } = await imported(`${path}?noRange&ratePerSecond=${15 * MiB}`)
    expect(facts.sizeBytes).toBe(size)
    const media = fake.puts.filter(({ part }) => part !== null)
    expect(media.length).toBe(6)
    const early = media.filter(({ at }) => at < (media.at(-1)?.at ?? 0) - 200)
    expect(early.length).toBeGreaterThan(2)
  })

  test('says its size before most of it has come, and then how far it is', async () => {
    await imported(`${path}?ratePerSecond=${12 * MiB}`)
    const first = fake.progress.find(({ totalBytes }) => totalBytes !== null)
    expect(first?.totalBytes).toBe(size)
    expect(first?.downloadedBytes).toBeLessThan(size / 4)
    const percents = fake.progress.map(({ percent }) => percent ?? 0)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
    expect(fake.progress.some(({ bytesPerSecond }) => (bytesPerSecond ?? 0) > MiB)).toBe(true)
  })

  test('is not downloaded when the account refuses its size', async () => {
    const before = origin.requests.length
    await start(`${path}?ratePerSecond=${2 * MiB}`, {
      behaviour: { stopWhen: ({ totalBytes }) => totalBytes === size },
    })
    expect(fake.outcomes).toEqual([])
    expect(fake.progress.at(-1)?.downloadedBytes).toBeLessThan(size / 4)
    expect(origin.requests.length - before).toBeLessThan(10)
  })
})

describe('a step ends before its work is done', () => {
  const slow = `/generated/${30 * MiB}.mp4?ratePerSecond=${MiB}`

  test('without a word when its lease is lost', async () => {
    await start(slow, { behaviour: { progress: 'lost' } })
    expect(fake.outcomes).toEqual([])
  })

  test('as TIMED_OUT when its time is up', async () => {
    expect(codeOf(await outcomeOf(slow, { limits: { timeoutMs: 700 } }))).toBe('TIMED_OUT')
  })

  test('given back when the container stops', async () => {
    const stopping = new AbortController()
    const running = start(slow, { stopping: stopping.signal })
    await expect.poll(() => fake.progress.length).toBeGreaterThan(0)
    stopping.abort()
    await running
    expect(fake.outcomes).toMatchObject([{ status: 'gaveBack' }])
  })

  test('given back when the storage does not accept, for that is no fault of the source', async () => {
    expect((await outcomeOf('/media/faststart.mp4', { behaviour: { failPuts: 1_000 } })).status).toBe('gaveBack')
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
