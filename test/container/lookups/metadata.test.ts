import { statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createGuard } from '../../../container/egress/guard.ts'
import { describeSource } from '../../../container/lookups/metadata.ts'
import { openUnknown } from '../../../container/lookups/open-unknown.ts'
import { resolve } from '../../../container/source/resolve.ts'
import { type SharedTools, untilServed, type Workspace } from '../../../container/source/routes/until-served.ts'
import type { ProbedSource } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { ffmpeg, scratch, scratchFolder } from '../audio/recordings.ts'
import { sharedExtractors } from '../source/extractor/shared-extractor.ts'

const never = new AbortController().signal
let origin: Origin
const workRoot = scratchFolder()
let tools: SharedTools

beforeAll(async () => {
  origin = await startOrigin()
  const guard = createGuard({ allow: origin.host, lookup: async () => [] })
  tools = { guard, extractors: sharedExtractors, workRoot, log: () => {} }
})
afterAll(() => origin.close())

const probe = (path: string, listLimit?: number) => {
  const request = { url: origin.url + path, timeoutMs: 20_000, ...(listLimit && { listLimit }) }
  return describeSource(request, tools, never)
}
const sourceAt = async (path: string): Promise<ProbedSource> => {
  const response = await probe(path)
  if (response.status !== 'done') throw new Error(`the response is ${JSON.stringify(response)}`)
  return response.source
}
const download = ({ downloads }: ProbedSource, quality: string) => {
  const includeVideo = quality !== 'audio'
  const found = downloads.find(
    ({ selection }) => selection.includeVideo === includeVideo && (!includeVideo || selection.videoQuality === quality),
  )
  return { bytes: found?.bytes, isEstimate: found?.isEstimate }
}
const sizeOf = (name: string) => statSync(fixture(name)).size

describe('a direct file', () => {
  test.each([
    ['faststart.mp4', 'video/mp4', '360p'],
    ['tail-index.mp4', 'video/mp4', '360p'],
    ['clip.webm', 'video/webm', '180p'],
    ['tone.mp3', 'audio/mpeg', 'audio'],
    ['tone.ogg', 'audio/ogg', 'audio'],
    ['tone.flac', 'audio/flac', 'audio'],
  ])('has its size, duration and streams: %s', async (name, contentType, quality) => {
    const found = await sourceAt(`/media/${name}`)
    expect(found).toMatchObject({ direct: true, platform: 'direct', contentType, fileSizeBytes: sizeOf(name) })
    expect(Math.abs((found.durationSeconds ?? 0) - 6)).toBeLessThan(0.2)
    expect(found.formats).toMatchObject([{ quality, sizeBytes: sizeOf(name), sizeIsEstimate: false }])
    expect(found.downloads.every(({ bytes }) => bytes === sizeOf(name))).toBe(true)
  })
})

describe('a page that states neither length nor size', () => {
  test('has both from its video, whose media is not downloaded', async () => {
    const sentBefore = origin.sentBytes
    const source = await sourceAt('/page/long.html')
    expect(source.durationSeconds).toBeCloseTo(6, 0)
    expect(download(source, '1080p')).toEqual({ bytes: 200_000_000, isEstimate: false })
    expect(download(source, 'audio')).toEqual({ bytes: 200_000_000, isEstimate: false })
    expect(source.formats).toMatchObject([
      { container: 'mp4', quality: '360p', videoCodec: 'h264', audioCodec: 'aac', sizeBytes: 200_000_000 },
    ])
    expect(origin.sentBytes - sentBefore).toBeLessThan(4_000_000)
    expect(await readdir(workRoot)).toEqual([])
  })

  test('answers with the bytes that were read for it, and so does a failure', async () => {
    const { readBytes } = await probe('/page/long.html')
    expect(readBytes).toBeGreaterThan(10_000)
    const failed = await probe('/nothing.mp4')
    expect(failed).toMatchObject({ status: 'failed', code: 'SOURCE_NOT_FOUND' })
    expect(failed.readBytes).toBeGreaterThan(0)
  })

  test('has the size of each quality', async () => {
    const { formats } = await sourceAt('/page/qualities.html')
    expect(formats.map(({ quality, sizeBytes, sizeIsEstimate }) => [quality, sizeBytes, sizeIsEstimate])).toEqual([
      ['180p', sizeOf('clip.webm'), false],
      ['360p', sizeOf('faststart.mp4'), false],
    ])
  })

  test('has its length from the segments of a playlist, and sizes estimated from its bitrates', async () => {
    const source = await sourceAt('/page/hls.html')
    expect(source).toMatchObject({ direct: false, isLive: false, durationSeconds: expect.closeTo(6, 0) })
    const [lowest, highest] = [download(source, 'lowest'), download(source, 'best')]
    expect([lowest.isEstimate, highest.isEstimate]).toEqual([true, true])
    expect(highest.bytes).toBeGreaterThan(lowest.bytes ?? Number.POSITIVE_INFINITY)
    expect(download(source, 'audio').bytes).toBeGreaterThan(50_000)
  })

  test('whose video has no sound has no price for a transcription', async () => {
    const source = await sourceAt('/page/mute.html')
    expect(download(source, '1080p')).toEqual({ bytes: sizeOf('video-only.mp4'), isEstimate: false })
    expect(download(source, 'audio').bytes).toBeNull()
  })

  test('whose video is missing has no price', async () => {
    const source = await sourceAt('/page/broken.html')
    expect([source.title, source.durationSeconds, download(source, '1080p').bytes]).toEqual([
      'A page without its video',
      null,
      null,
    ])
  })

  test('whose video does not answer in time has no price', async () => {
    const work = async ({ workDir, egress, extractor }: Workspace) => {
      const source = await resolve(`${origin.url}/page/slow.html`, { egress, extractor, signal: never })
      return openUnknown(source, { egress, workDir, signal: never }, 200)
    }
    const opened = await untilServed({ url: null, tools, signal: never, work })
    expect([opened.title, opened.durationSeconds]).toEqual(['A page with a slow video', null])
  })
})

test('a direct file has the chapters that its transcript will have', async () => {
  const folder = scratch()
  const other = await startOrigin({ root: folder })
  onTestFinished(() => other.close())
  const chapter = (title: string, start: number, end: number) =>
    `[CHAPTER]\nTIMEBASE=1/1\nSTART=${start}\nEND=${end}\ntitle=${title}\n`
  const listed = join(folder, 'chapters.txt')
  writeFileSync(listed, `;FFMETADATA1\n${chapter('The start', 0, 2)}${chapter('The end', 2, 4)}`)
  const sine = ['-f', 'lavfi', '-i', 'sine=duration=4', '-i', listed, '-map', '0', '-map_metadata', '1']
  ffmpeg([...sine, join(folder, 'talk.mka')])
  const guard = createGuard({ allow: other.host, lookup: async () => [] })
  const request = { url: `${other.url}/media/talk.mka`, timeoutMs: 20_000 }
  expect(await describeSource(request, { ...tools, guard }, never)).toMatchObject({
    source: {
      chapters: [
        { title: 'The start', startSeconds: 0, endSeconds: 2 },
        { title: 'The end', startSeconds: 2, endSeconds: 4 },
      ],
    },
  })
})

describe('a playlist of segments without a bitrate', () => {
  const folderBytes = async (folder: string, prefix: string) => {
    const names = (await readdir(fixture(folder))).filter((name) => name.startsWith(prefix) && !name.endsWith('.m3u8'))
    return names.reduce((sum, name) => sum + sizeOf(`${folder}/${name}`), 0)
  }

  test('has a size that is estimated from the sizes of four segments', async () => {
    const before = origin.requests.length
    const source = await sourceAt('/media/hls-ts/stream_0.m3u8')
    const { bytes, isEstimate } = download(source, '1080p')
    const real = await folderBytes('hls-ts', 'stream_0_')
    expect(isEstimate).toBe(true)
    expect(Math.abs((bytes ?? 0) - real) / real).toBeLessThan(0.3)
    expect(origin.requests.slice(before).filter(({ path }) => path.endsWith('.ts'))).toHaveLength(4)
  })

  test('has its exact size if its segments are ranges of a file', async () => {
    const source = await sourceAt('/media/hls-ranges/stream.m3u8')
    expect(download(source, '1080p')).toEqual({ bytes: await folderBytes('hls-ranges', 'stream'), isEstimate: false })
  })
})

describe('a playlist', () => {
  const feed = `/page/feed.xml`

  test('is listed for the callers that ask for it', async () => {
    expect(await probe(feed, 1)).toEqual({
      status: 'list',
      title: 'A podcast',
      count: 2,
      items: [{ url: `${origin.url}/media/tone.mp3`, title: 'The first', durationSeconds: 6 }],
      readBytes: expect.any(Number),
    })
  })

  test('is a failure for others, as for an import', async () => {
    expect(await probe(feed)).toMatchObject({
      status: 'failed',
      code: 'SOURCE_UNSUPPORTED',
      message: 'The URL is a playlist. Send it to POST /batches, or send the URL of a single video.',
    })
  })
})
