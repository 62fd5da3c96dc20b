import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SourceFailure } from '../../../container/failures.ts'
import { download } from '../../../container/source/download.ts'
import { openDirect, openSource, resolve } from '../../../container/source/resolve.ts'
import type { Source } from '../../../container/source/source.ts'
import type { StoredSource } from '../../../domain/protocol/protocol.ts'
import { fixture, sizeOfFixture } from '../../doubles/origin/fixtures.ts'
import { anOrigin, aSink, never, retryPolicy, sha256OfFixture } from './downloading.ts'

const nothing = { id: null, uploader: null, publishedAt: null, description: null, tags: [], language: null }
const extracted: Source = {
  title: 'From the page',
  durationSeconds: null,
  thumbnailUrl: null,
  platform: 'generic',
  extractor: 'generic',
  isLive: false,
  direct: false,
  renditions: [],
  captions: [],
  chapters: [],
  about: nothing,
  note: null,
}
const extractor = { extract: async () => extracted }

test('the kind of a file is recognized by its bytes, whatever its Content-Type', async () => {
  const { origin, egress } = await anOrigin()
  const opened = await openDirect(
    { url: `${origin.url}/media/clip.webm?type=text/html`, headers: {} },
    { egress, signal: never },
  )
  // libvpx encodes in real time, so its files differ on a busy machine.
  const sizeBytes = statSync(fixture('clip.webm')).size
  expect(opened).toMatchObject({ kind: 'webm', title: 'clip', sizeBytes })
  opened.discard()
})

test('the title comes from Content-Disposition, otherwise from the URL after redirects', async () => {
  const { origin, egress } = await anOrigin()
  const disposition = encodeURIComponent('attachment; filename="Der größte Film.mp4"')
  const byHeader = await openDirect(
    { url: `${origin.url}/media/faststart.mp4?disposition=${disposition}`, headers: {} },
    { egress, signal: never },
  )
  expect(byHeader).toMatchObject({ title: 'Der größte Film' })
  byHeader.discard()
  const target = encodeURIComponent('/media/faststart.mp4')
  const byUrl = await openDirect(
    { url: `${origin.url}/media/clip.webm?redirectTo=${target}`, headers: {} },
    { egress, signal: never },
  )
  expect(byUrl).toMatchObject({ title: 'faststart', url: `${origin.url}/media/faststart.mp4` })
  byUrl.discard()
})

test('a direct file becomes a source with one rendition, and its first bytes are not fetched twice', async () => {
  const { origin, egress } = await anOrigin()
  const source = await resolve(`${origin.url}/media/faststart.mp4`, { egress, extractor, signal: never })
  expect(source).toMatchObject({ platform: 'direct', direct: true, isLive: false, title: 'faststart' })
  const [rendition, ...others] = source.renditions
  expect(others).toEqual([])
  expect(rendition).toMatchObject({
    container: 'mp4',
    videoCodec: 'unknown',
    audioCodec: 'unknown',
    sizeBytes: sizeOfFixture('faststart.mp4'),
  })

  const sink = await aSink()
  if (rendition) await download(rendition, sink, { egress, signal: never, retryPolicy })
  expect(await sink.sha256()).toBe(await sha256OfFixture('faststart.mp4'))
  expect(origin.requests).toHaveLength(1)

  if (rendition) await download(rendition, sink, { egress, signal: never, retryPolicy })
  expect(origin.requests, 'a second download sends a new request').toHaveLength(2)
})

test('the id of a file is made of its URL: before redirects, and without what a presigned URL adds', async () => {
  const { origin, egress } = await anOrigin()
  const idOf = async (path: string, stored?: StoredSource) => {
    const { about, renditions } = await openSource(
      { url: origin.url + path, stored },
      { egress, extractor, signal: never },
    )
    const [rendition] = renditions
    if (rendition?.transport.kind === 'file') rendition.transport.opened?.discard()
    expect(about).toEqual({ ...nothing, id: expect.stringMatching(/^[\w-]{11}$/) })
    return about.id
  }
  const file = '/media/faststart.mp4'
  const plain = await idOf(file)
  expect(plain).toBe(
    createHash('sha256')
      .update(origin.url + file)
      .digest('base64url')
      .slice(0, 11),
  )
  expect(await idOf(`${file}#t=10`)).toBe(plain)
  expect(await idOf(`${file}?episode=2`)).not.toBe(plain)
  expect(await idOf(`/media/clip.webm?redirectTo=${encodeURIComponent(file)}`)).not.toBe(plain)
  const stored = { title: 'as imported', contentType: 'video/mp4', sizeBytes: 1, durationSeconds: null }
  expect(await idOf(`${file}?X-Amz-Signature=1`, stored)).toBe(plain)
})

test('a file of an audio-only format has no video codec', async () => {
  const { origin, egress } = await anOrigin()
  const source = await resolve(`${origin.url}/media/tone.mp3`, { egress, extractor, signal: never })
  expect(source.renditions[0]).toMatchObject({ container: 'mp3', videoCodec: null, audioCodec: 'unknown' })
  source.renditions[0]?.transport.kind === 'file' && source.renditions[0].transport.opened?.discard()
})

test.each(['/page/video.html', '/media/hls-ts/master.m3u8?type=video/mp4', '/media/dash/manifest.mpd'])(
  '%s is resolved by the extractor',
  async (path) => {
    const { origin, egress } = await anOrigin()
    expect(await resolve(origin.url + path, { egress, extractor, signal: never })).toBe(extracted)
  },
)

const unsupporting = {
  extract: async () => {
    throw new SourceFailure('SOURCE_UNSUPPORTED')
  },
}

test('a page that refuses the request is tried with the extractor', async () => {
  const { origin, egress } = await anOrigin()
  const url = `${origin.url}/page/video.html?status=403`
  expect(await resolve(url, { egress, extractor, signal: never })).toBe(extracted)
  const moreSpecific = {
    extract: async () => {
      throw new SourceFailure('SOURCE_AGE_RESTRICTED')
    },
  }
  await expect(resolve(url, { egress, extractor: moreSpecific, signal: never })).rejects.toMatchObject({
    code: 'SOURCE_AGE_RESTRICTED',
  })
})

test.each([
  ['/media/still.jpg?type=video/mp4', 'SOURCE_UNSUPPORTED'],
  ['/media/captions/en.vtt', 'SOURCE_UNSUPPORTED'],
  ['/media/empty.mp4', 'SOURCE_UNSUPPORTED'],
  ['/media/nothing.mp4', 'SOURCE_NOT_FOUND'],
  ['/page/video.html?status=403', 'SOURCE_BLOCKED'],
  ['/page/video.html?status=401', 'SOURCE_PRIVATE'],
  ['/page/video.html?redirect=6', 'SOURCE_UNREACHABLE'],
])('%s fails with %s', async (path, code) => {
  const { origin, egress } = await anOrigin()
  await expect(resolve(origin.url + path, { egress, extractor: unsupporting, signal: never })).rejects.toMatchObject({
    code,
  })
})

test('a request to an overloaded origin is retried', async () => {
  const { origin, egress } = await anOrigin()
  const url = `${origin.url}/media/faststart.mp4?status=503&times=2`
  const opened = await openDirect({ url, headers: {} }, { egress, signal: never, retryPolicy })
  expect(opened.kind).toBe('mp4')
  opened.discard()
})
