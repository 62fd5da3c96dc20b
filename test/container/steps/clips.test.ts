import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ffmpegProgram } from '../../../container/sandbox/program-files.ts'
import { fetchMedia } from '../../../container/steps/fetch.ts'
import type { FetchOrder, Selection } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { sha256 } from '../../support/sha256.ts'
import { scratchFolder } from '../audio/recordings.ts'
import { find, firstTime, lastTime, packetsOf, runIn, shiftOf } from '../media/clip/packets.ts'
import { python } from '../source/extractor/shared-extractor.ts'
import type { Behaviour } from './fake-worker.ts'
import { codeOf, createStepHarness, type OrderFields, resultOf } from './step-harness.ts'

/** The films have twelve seconds, 25 pictures each second, and a keyframe every two seconds. */
const web = createStepHarness()
const folder = scratchFolder()

interface Options {
  selection?: Partial<Selection>
  limits?: OrderFields<FetchOrder>['limits']
  behaviour?: Partial<Behaviour>
}

const everything: Selection = { includeVideo: true, includeAudio: true, videoQuality: '1080p', audioQuality: 'best' }

const start = (
  path: string,
  [from, to]: [number | null, number | null],
  { selection, limits, ...options }: Options = {},
) =>
  web.start<FetchOrder>(
    'fetch',
    fetchMedia,
    {
      url: `${web.origin.url}/media/${path}`,
      selection: { ...everything, ...selection },
      clip: { startSeconds: from, endSeconds: to },
      ...(limits && { limits }),
    },
    options,
  )

const ffmpeg = (args: string[]): string =>
  execFileSync(ffmpegProgram('ffmpeg'), ['-v', 'error', '-y', ...args], { encoding: 'utf8' })

const clipped = async (path: string, times: [number | null, number | null], options?: Options) => {
  await start(path, times, options)
  const { media, thumbnail, facts } = resultOf(web, 'fetch')
  const bytes = web.fake.stored(media) as Buffer
  expect(facts.sizeBytes).toBe(bytes.length)
  expect(facts.sha256).toBe(sha256(bytes))
  const file = join(folder, `clip.${facts.extension}`)
  writeFileSync(file, bytes)
  expect(ffmpeg(['-i', file, '-f', 'null', '-'])).toBe('')
  return { file, facts, ...facts.clip, thumbnail: thumbnail && web.fake.stored(thumbnail) }
}

const failureOf = async (path: string, times: [number | null, number | null], options?: Options) => {
  await start(path, times, options)
  return codeOf(web)
}

const requestedParts = (from: number): string[] =>
  web.origin.requests.slice(from).flatMap(({ path }) => /[^/]+\.(?:ts|m4s|mp4)$/.exec(path)?.[0] ?? [])

/** The whole media in the container of its clip. */
const whole = (path: string): string => {
  if (!/(ts|flv|m3u8)$/.test(path)) return fixture(path)
  const file = join(folder, `${path.replace('/', '-')}.mp4`)
  const playlist = ['-allowed_extensions', 'ALL', '-protocol_whitelist', 'file,crypto,data']
  if (!existsSync(file)) ffmpeg([...(path.endsWith('m3u8') ? playlist : []), '-i', fixture(path), '-c', 'copy', file])
  return file
}

/** The packets of a clip with picture and sound are those of the whole media, and both start at its first moment. */
const expectPart = (clip: string, wholeFile: string, seconds: number) => {
  const [pictures, sounds] = [find('V:0', clip, wholeFile), find('a:0', clip, wholeFile)]
  expect(pictures.packets[0]?.isKey).toBe(true)
  expect(firstTime(pictures)).toBeCloseTo(0, 3)
  expect(firstTime(sounds)).toBeGreaterThanOrEqual(0)
  expect(firstTime(sounds)).toBeLessThan(0.025)
  for (const run of [pictures, sounds]) {
    expect(lastTime(run)).toBeGreaterThan(seconds - 0.05)
    // Pictures are stored after those that they are needed for.
    expect(lastTime(run)).toBeLessThan(seconds + 0.13)
  }
  return shiftOf(pictures, sounds)
}

/** 48 kHz, two bytes each. */
const WAV_BYTES_PER_SECOND = 96_000

const samplesOf = (path: string): Buffer => {
  const bytes = readFileSync(path)
  return bytes.subarray(bytes.indexOf('data') + 8)
}

describe('a clip of a file', () => {
  test.each([
    ['film.mp4', 'mp4', 0],
    ['film-fragmented.mp4', 'mp4', 0.08],
    ['film.mkv', 'mkv', 0.021],
    ['film.webm', 'webm', 0.007],
    ['film.ts', 'mp4', 0.021],
    ['film.flv', 'mp4', 0.021],
  ])('%s has the packets of the whole file, from the keyframe before its start', async (name, extension, firstKey) => {
    const { file, facts, actualStartSeconds, thumbnail } = await clipped(name, [5, 9])
    expect(facts).toMatchObject({ extension, clip: { startSeconds: 5, endSeconds: 9 } })
    expect(actualStartSeconds).toBeCloseTo(4 + firstKey, 3)
    expectPart(file, whole(name), 9 - (actualStartSeconds ?? 0))
    expect(facts.durationSeconds).toBeLessThan(5.13)
    expect(thumbnail?.subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8))
  })

  test('starts like that of ffmpeg itself', async () => {
    const { file } = await clipped('film.mp4', [5, 9])
    const own = join(folder, 'own.mp4')
    ffmpeg(['-ss', '5', '-i', fixture('film.mp4'), '-t', '4', '-c', 'copy', own])
    expect(runIn(packetsOf(file, 'V:0'), packetsOf(own, 'V:0'))).toBe(0)
  })

  test.each([
    ['film.mp4', 'm4a', 0],
    ['film-sound.m4a', 'm4a', 0],
    // What the encoder puts before the sound is not played.
    ['film-sound.mp3', 'mp3', 0.025],
    ['film-sound.ogg', 'opus', 0],
    // A part cannot be a .flac file, whose frames are numbered.
    ['film-sound.flac', 'm4a', 0],
  ])('%s without a picture starts with the packet that is heard at its start', async (name, extension, delay) => {
    const { file, facts } = await clipped(name, [5, 9], { selection: { includeVideo: false } })
    expect(facts).toMatchObject({ extension, videoCodec: null })
    expect(facts.clip).toEqual({ startSeconds: 5, endSeconds: 9, actualStartSeconds: 5 })
    const sounds = find('a:0', file, fixture(name))
    const [first, second] = [sounds.all[sounds.at]?.pts ?? 0, sounds.all[sounds.at + 1]?.pts ?? 0]
    expect(first - delay).toBeLessThanOrEqual(5.001)
    expect(second - delay).toBeGreaterThan(5)
    expect(Math.abs(facts.durationSeconds - 4)).toBeLessThan(0.12)
  })

  test('film-sound.wav has the samples of the whole file', async () => {
    const { file, facts } = await clipped('film-sound.wav', [5, 9])
    expect(facts).toMatchObject({ extension: 'wav', clip: { startSeconds: 5, endSeconds: 9, actualStartSeconds: 5 } })
    const [clip, all] = [file, fixture('film-sound.wav')].map(samplesOf)
    const startSeconds = (all?.indexOf(clip ?? '') ?? -1) / WAV_BYTES_PER_SECOND
    expect(startSeconds).toBeGreaterThan(4.9)
    expect(startSeconds).toBeLessThanOrEqual(5)
    expect(startSeconds + facts.durationSeconds).toBeGreaterThanOrEqual(9)
  })

  test('without its sound has the pictures only', async () => {
    const { file, facts } = await clipped('film.mp4', [5, 9], { selection: { includeAudio: false } })
    expect(facts).toMatchObject({ audioCodec: null, clip: { actualStartSeconds: 4 } })
    expect(shiftOf(find('V:0', file, fixture('film.mp4')))).toBeCloseTo(4, 3)
  })

  test('at an origin without ranges downloads the whole file, and says so', async () => {
    const { facts } = await clipped('film.mp4?noRange', [5, 9])
    expect(facts.downloadedBytes).toBe(statSync(fixture('film.mp4')).size)
    expect(facts.note).toMatch(/whole file/)
  })

  test('that starts after the end of the media fails', async () => {
    expect(await failureOf('film.mp4', [12, null])).toBe('CLIP_OUT_OF_RANGE')
  })

  test('may be of media that is longer than the limit, but not longer itself', async () => {
    const limits = { maxDurationSeconds: 6 }
    expect((await clipped('film.mp4', [5, 9], { limits })).facts.clip?.endSeconds).toBe(9)
  })

  test('that is longer than the limit fails before it is downloaded', async () => {
    expect(await failureOf('film-hls/stream.m3u8', [1, 9], { limits: { maxDurationSeconds: 6 } })).toBe(
      'MEDIA_TOO_LONG',
    )
  })
})

describe.runIf(existsSync(python))('a clip of segments', () => {
  test.each([
    ['transport stream', 'film-hls/stream.m3u8', ['part_002.ts', 'part_003.ts', 'part_004.ts']],
    ['encrypted', 'film-hls-aes/stream.m3u8', ['part_009.ts', 'part_010.ts', 'part_011.ts']],
    ['in byte ranges of one file', 'film-hls-ranges/stream.m3u8', null],
  ])('%s downloads only those that it overlaps', async (_title, path, parts) => {
    const before = web.origin.requests.length
    const { file, facts } = await clipped(path, [5, 9])
    expect(facts.clip).toEqual({ startSeconds: 5, endSeconds: 9, actualStartSeconds: 4 })
    expectPart(file, whole(path), 5)
    if (parts) expect(requestedParts(before).toSorted()).toEqual(parts)
    expect(facts.downloadedBytes).toBeLessThan(statSync(fixture('film.mp4')).size * 0.65)
    expect(facts.note).toBeNull()
  })

  test.each([
    ['HLS', 'film-hls-fmp4/master.m3u8', /^stream_(0_001|1_000)\.m4s$/, 0],
    ['DASH', 'film-dash/manifest.mpd', /^chunk-stream0/, 3],
  ])('%s with separate sound downloads the sound from the same moment, in sync', async (_, path, parts, count) => {
    const before = web.origin.requests.length
    const { file, facts } = await clipped(path, [5, 9])
    expect(facts.clip).toEqual({ startSeconds: 5, endSeconds: 9, actualStartSeconds: 4 })
    expectPart(file, fixture('film-fragmented.mp4'), 5)
    expect(requestedParts(before).filter((name) => parts.test(name))).toHaveLength(count)
  })

  test('without a picture downloads only the sound', async () => {
    const { file, facts } = await clipped('film-hls-fmp4/master.m3u8', [5, 9], { selection: { includeVideo: false } })
    expect(facts).toMatchObject({ extension: 'm4a', clip: { actualStartSeconds: 5 } })
    expect(find('a:0', file, fixture('film-fragmented.mp4')).packets.length).toBeCloseTo((4 * 48_000) / 1024, -1)
    expect(facts.downloadedBytes).toBeLessThan(60_000)
  })

  test('whose end is the end of a segment has all its sound, which is stored a little later', async () => {
    const { file } = await clipped('film-hls/stream.m3u8', [4, 8])
    expectPart(file, whole('film-hls/stream.m3u8'), 4)
  })

  test('that start without a keyframe downloads the ones before, up to a keyframe', async () => {
    const before = web.origin.requests.length
    // Each of the two downloads asks for what it needs.
    const behaviour = { affordableBytes: 1_000_000 }
    const { file, facts } = await clipped('film-hls-short/stream.m3u8', [5.6, 7], { behaviour })
    expect(facts.clip?.actualStartSeconds).toBeCloseTo(4, 1)
    expectPart(file, whole('film-hls-short/stream.m3u8'), 7 - (facts.clip?.actualStartSeconds ?? 0))
    expect(requestedParts(before)).toContain('part_008.ts')
    expect(new Set(requestedParts(before)).size).toBe(requestedParts(before).length)
  })

  test('on both sides of a discontinuity plays on without a gap', async () => {
    const { file, facts } = await clipped('film-hls-halves/stream.m3u8', [3, 9])
    expect(facts.clip).toEqual({ startSeconds: 3, endSeconds: 9, actualStartSeconds: 2 })
    const shownAt = packetsOf(file, 'V:0')
      .map(({ pts }) => pts)
      .toSorted((a, b) => a - b)
    expect(shownAt[0]).toBeCloseTo(0, 2)
    expect(shownAt.at(-1)).toBeCloseTo(7, 0)
    expect(Math.max(...shownAt.slice(1).map((at, index) => at - (shownAt[index] ?? 0)))).toBeLessThan(0.2)
  })

  test('of the very last second has the last picture', async () => {
    const { file, facts } = await clipped('film-hls/stream.m3u8', [11, 100])
    expect(facts.clip).toMatchObject({ startSeconds: 11, actualStartSeconds: 10 })
    expect(facts.clip?.endSeconds).toBeCloseTo(12, 1)
    expect(packetsOf(file, 'V:0')).toHaveLength(50)
  })

  test('that starts after the end of the media fails before a segment is downloaded', async () => {
    const before = web.origin.requests.length
    expect(await failureOf('film-hls/stream.m3u8', [12, null])).toBe('CLIP_OUT_OF_RANGE')
    expect(requestedParts(before)).toEqual([])
  })

  test('of a live stream fails', async () => {
    expect(await failureOf('film-hls/stream.m3u8?swap=%23EXT-X-ENDLIST|', [1, 2])).toBe('SOURCE_LIVE')
  })
})
