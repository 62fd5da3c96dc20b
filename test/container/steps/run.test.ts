import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fetchMedia } from '../../../container/steps/fetch.ts'
import type { FetchOrder } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { codeOf, createStepHarness, type OrderFields, outcomeOf, resultOf, type StartOptions } from './step-harness.ts'

const MiB = 1024 * 1024
const web = createStepHarness()

interface Options extends StartOptions {
  selection?: Partial<FetchOrder['selection']>
  limits?: OrderFields<FetchOrder>['limits']
}

const start = (path: string, { limits = {}, selection: chosen, ...options }: Options = {}) => {
  const selection = { ...{ includeVideo: true, includeAudio: true }, ...qualities, ...chosen }
  return web.start<FetchOrder>('fetch', fetchMedia, { url: `${web.origin.url}${path}`, selection, limits }, options)
}
const qualities = { videoQuality: 'best', audioQuality: 'best' } as const

describe('a running step', () => {
  const slow = `/generated/${30 * MiB}.mp4?ratePerSecond=${MiB}`

  test.each([
    ['its lease is lost', 'lost'],
    ['the Worker stops it', 'stop'],
  ] as const)('reports no outcome when %s', async (_, progress) => {
    await start(slow, { behaviour: { progress } })
    expect(web.fake.outcomes).toEqual([])
  })

  test('fails with TIMED_OUT when its time limit is exceeded', async () => {
    await start(slow, { limits: { timeoutMs: 700 } })
    expect(codeOf(web)).toBe('TIMED_OUT')
  })

  test('is given back when the container stops', async () => {
    const stopping = new AbortController()
    const running = start(slow, { stopping: stopping.signal })
    await expect.poll(() => web.fake.progress.length).toBeGreaterThan(0)
    stopping.abort()
    await running
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack', usesAttempt: false })
  })

  test('reports no outcome when its job is canceled', async () => {
    const canceled = new AbortController()
    const running = start(slow, { canceled: canceled.signal })
    await expect.poll(() => web.fake.progress.length).toBeGreaterThan(0)
    canceled.abort()
    await running
    expect(web.fake.outcomes).toEqual([])
  })

  test('is given back when storage keeps failing, because the source is not at fault', async () => {
    await start('/media/faststart.mp4', { behaviour: { failPuts: 1_000 } })
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack', usesAttempt: false })
  })
})

test('a step whose uploads reach nobody is given back, and uses no attempt', async () => {
  await start('/media/faststart.mp4', { behaviour: { breaksPuts: true } })
  expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack', reason: 'storage cannot be reached', usesAttempt: false })
})

test('an outcome report that fails is retried', async () => {
  await start('/media/tone.mp3', { behaviour: { failOutcomes: 2 } })
  expect(resultOf(web, 'fetch').facts.audioCodec).toBe('mp3')
})

test('a step whose source refuses all that is tried fails with what would help', async () => {
  await start('/media/faststart.mp4?status=403&times=always')
  expect(outcomeOf(web)).toMatchObject({
    status: 'failed',
    code: 'SOURCE_BLOCKED',
    message: 'The source refused to serve the media. A source proxy of the service (SOURCE_PROXIES) may help.',
  })
})

test('a step whose reports the Worker rejects is given back at once', async () => {
  await start(`/generated/${30 * MiB}.mp4?ratePerSecond=${MiB}`, { behaviour: { rejectsProgress: true } })
  expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack' })
})

describe('a download of unknown size', () => {
  const film = '/generated/5000000.mp4?chunked'

  test('is completed when its last byte is the last one that the account agrees to', async () => {
    await start(film, { behaviour: { affordableBytes: 5_000_000 } })
    expect(resultOf(web, 'fetch').facts.downloadedBytes).toBe(5_000_000)
  })

  test('stops at the bytes that the account has agreed to', async () => {
    await start(film, { behaviour: { affordableBytes: 4_999_999 } })
    expect(web.fake.outcomes).toEqual([])
    expect(Math.max(...web.fake.progress.map(({ downloadedBytes }) => downloadedBytes))).toBeLessThan(5_000_000)
    expect(web.fake.progress.at(-1)).toMatchObject({ neededBytes: expect.any(Number) })
  })
})

describe('a step whose files do not fit on the disk of this container is given back without using an attempt', () => {
  const film = 'faststart.mp4'
  const filmBytes = statSync(fixture(film)).size
  const givenBack = (diskBytes: unknown) => ({ status: 'gaveBack', usesAttempt: false, diskBytes })

  test('as soon as the size is known', async () => {
    await start(`/generated/${30 * MiB}.mp4?ratePerSecond=${MiB}`, { diskBytes: 29 * MiB })
    expect(outcomeOf(web)).toMatchObject(givenBack(30 * MiB))
    expect(Math.max(...web.fake.progress.map(({ downloadedBytes }) => downloadedBytes))).toBeLessThan(5 * MiB)
  })

  test('when a download of unknown size reaches the end of the disk, with a guess', async () => {
    await start('/generated/5000000.mp4?chunked', { diskBytes: 2_000_000 })
    const outcome = outcomeOf(web)
    expect(outcome).toMatchObject(givenBack(expect.any(Number)))
    const { diskBytes = 0 } = outcome as { diskBytes?: number }
    expect(diskBytes).toBeGreaterThan(4_000_000)
    expect(diskBytes).toBeLessThan(5_000_000)
  })

  test('the guess is at most a whole disk like this one, if only other steps are in the way', async () => {
    await start('/generated/5000000.mp4?chunked', { diskBytes: 3_000_000, othersBytes: 1_000_000 })
    expect(outcomeOf(web)).toMatchObject(givenBack(3_000_000))
  })

  test('when streams have to be copied into a second file', async () => {
    await start(`/media/${film}`, { selection: { includeVideo: false }, diskBytes: 2 * filmBytes - 1 })
    expect(outcomeOf(web)).toMatchObject(givenBack(2 * filmBytes))
  })

  test('and completes on a disk where they fit', async () => {
    await start(`/media/${film}`, { selection: { includeVideo: false }, diskBytes: 2 * filmBytes })
    expect(resultOf(web, 'fetch').facts.audioCodec).toBe('aac')
  })
})

describe('media is too large when no container has enough disk space for it:', () => {
  const filmBytes = statSync(fixture('faststart.mp4')).size

  test('a file, as soon as its size is known', async () => {
    await start(`/generated/${30 * MiB}.mp4?ratePerSecond=${MiB}`, { limits: { maxDiskBytes: 29 * MiB } })
    expect(codeOf(web)).toBe('MEDIA_TOO_LARGE')
    expect(Math.max(...web.fake.progress.map(({ downloadedBytes }) => downloadedBytes))).toBeLessThan(5 * MiB)
  })

  test('two streams that are merged, although they would fit without the merged file', async () => {
    await start('/media/dash/manifest.mpd')
    const { downloadedBytes } = resultOf(web, 'fetch').facts
    web.fake.outcomes.length = 0
    await start('/media/dash/manifest.mpd', { limits: { maxDiskBytes: 2 * downloadedBytes - 1 } })
    expect(codeOf(web)).toBe('MEDIA_TOO_LARGE')
  })

  test('a file whose streams have to be copied', async () => {
    const limits = { maxDiskBytes: 2 * filmBytes - 1 }
    await start('/media/faststart.mp4', { selection: { includeVideo: false }, limits })
    expect(codeOf(web)).toBe('MEDIA_TOO_LARGE')
  })

  test('but not a file that fits exactly', async () => {
    await start('/media/faststart.mp4', { limits: { maxDiskBytes: filmBytes } })
    expect(resultOf(web, 'fetch').facts.downloadedBytes).toBe(filmBytes)
  })
})
