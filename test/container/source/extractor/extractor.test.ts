import { describe, expect, test } from 'vitest'
import { aboutFile } from '../../../../container/source/about.ts'
import { unpackSegments } from '../../../../container/source/transfer/segment-list.ts'
import { pages } from './pages.ts'
import { extractorSite, inExtractor } from './site.ts'

const site = extractorSite({
  '/dated.html': (_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'last-modified': 'Tue, 03 Mar 2026 10:00:00 GMT' })
      .end(pages['/one']?.[1]),
})
const nothing = { uploader: null, publishedAt: null, description: null, tags: [], language: null }

describe('pages', () => {
  test('a page with a video becomes a source with its captions', async () => {
    const source = await site.extract('/one')
    expect(source).toMatchObject({ title: 'A page', platform: 'generic', isLive: false, direct: false, note: null })
    expect(source.thumbnailUrl).toBe(`${site.origin}/poster.jpg`)
    expect(source.renditions).toMatchObject([
      {
        container: 'mp4',
        videoCodec: 'unknown',
        audioCodec: 'unknown',
        transport: { kind: 'file', url: `${site.origin}/v.mp4` },
      },
    ])
    expect(source.renditions[0]?.transport).toHaveProperty('headers.Referer', `${site.origin}/one`)
    expect(source.captions).toMatchObject([
      { language: 'en', kind: 'manual', format: 'vtt', transport: { kind: 'file', url: `${site.origin}/en.vtt` } },
    ])
  })

  test('for a page with several videos the first one is used, with a note', async () => {
    const source = await site.extract('/several')
    expect(source.renditions.map(({ transport }) => transport)).toMatchObject([{ url: `${site.origin}/first.mp4` }])
    expect([source.title, source.note]).toEqual(['A page', 'The page contains several videos. The first one was used.'])
  })

  test('a video of a page may be a manifest', async () => {
    const source = await site.extract('/page-of-hls')
    expect(source.platform).toBe('generic')
    expect(source.renditions.map(({ height }) => height)).toEqual([null, 360, 720])
  })

  test('a feed is a playlist, and is refused with a message', async () => {
    await expect(site.extract('/feed.xml')).rejects.toMatchObject({
      code: 'SOURCE_UNSUPPORTED',
      message: 'The URL is a playlist. Send it to POST /batches, or send the URL of a single video.',
    })
  })

  test.each([
    ['the embeds of a page', 'playlist', 'Generic', '[url, url]', 'False'],
    ['the videos of one post', 'playlist', 'Twitter', '[video, video]', 'False'],
    ['links to other pages', 'playlist', 'YoutubeTab', '[url, url]', 'True'],
    ['a lazy list', 'playlist', 'Vimeo', 'iter([video])', 'True'],
    ['the parts of one video', 'multi_video', 'Youku', '[video, video]', 'True'],
    ['the parts of one video on any page', 'multi_video', 'Generic', '[video, video]', 'True'],
  ])('%s: is it a playlist?', async (_, type, extractor, entries, expected) => {
    const script = `
import resolve
url, video = {'_type': 'url'}, {'formats': []}
print(resolve.is_playlist({'_type': '${type}', 'extractor_key': '${extractor}', 'id': 'x'}, ${entries}))`
    expect(await inExtractor(script)).toBe(expected)
  })

  test.each([
    ['/none', 'SOURCE_UNSUPPORTED'],
    ['/missing', 'SOURCE_NOT_FOUND'],
    ['/status/403', 'SOURCE_BLOCKED'],
    ['/status/429', 'SOURCE_RATE_LIMITED'],
    ['/status/451', 'SOURCE_REGION_BLOCKED'],
    ['/status/500', 'SOURCE_UNREACHABLE'],
    ['/drm.mpd', 'SOURCE_DRM'],
    ['/master-of-itself.m3u8', 'SOURCE_UNSUPPORTED'],
    ['/master-of-master.m3u8', 'SOURCE_UNSUPPORTED'],
    ['/playlist-of-itself.m3u8', 'SOURCE_UNSUPPORTED'],
    ['/playlist-of-playlist.m3u8?a', 'SOURCE_UNSUPPORTED'],
    ['/live-playlist-of-itself.m3u8', 'SOURCE_UNSUPPORTED'],
  ])('%s fails with %s', async (path, code) => {
    await expect(site.extract(path)).rejects.toMatchObject({ code })
  })
})

describe('what a source says of itself', () => {
  test('a page states its author, its date and more', async () => {
    expect((await site.extract('/talks/stated')).about).toEqual({
      id: 'stated',
      uploader: 'Ada',
      publishedAt: '2026-03-04T03:06:07.000Z',
      description: 'First line\nSecond line',
      tags: ['video', 'talks'],
      language: null,
    })
  })

  test('what is no text and no date is left out, and what is long is cut', async () => {
    expect((await site.extract('/hostile')).about).toEqual({
      ...nothing,
      id: 'hostile',
      description: '\u6f22'.repeat(10_000),
      tags: ['a'.repeat(100)],
    })
  })

  test('a page with a video has the id of its URL, and the time of its last change is not that of the video', async () => {
    expect((await site.extract('/dated.html')).about).toEqual({ ...nothing, id: 'dated' })
  })

  test('manifests have an id that is made of the URL, since most have the same name', async () => {
    const ids = ['/master.m3u8', '/dash.mpd', '/high.m3u8'].map(async (path) => {
      const { about } = await site.extract(path)
      expect(about).toEqual(aboutFile(site.origin + path))
      return about.id
    })
    expect(new Set(await Promise.all(ids)).size).toBe(3)
  })
})

describe('manifests', () => {
  test('HLS: renditions with separate audio, codecs, duration and captions', async () => {
    const source = await site.extract('/master.m3u8')
    expect(source).toMatchObject({ platform: 'hls', durationSeconds: 10, isLive: false, direct: false })
    const unknownSize = { sizeBytes: null, sizeIsEstimate: false }
    expect(source.renditions).toMatchObject([
      { ...unknownSize, videoCodec: null, audioCodec: 'unknown', language: 'en', preference: 0 },
      { ...unknownSize, videoCodec: 'avc1.42c01e', audioCodec: null, width: 640, height: 360, bitrate: 800_000 },
      { ...unknownSize, videoCodec: 'avc1.64001f', audioCodec: null, width: 1280, height: 720, bitrate: 2_500_000 },
    ])
    expect(source.renditions.map(({ transport }) => transport)).toMatchObject(
      ['audio', 'low', 'high'].map((name) => ({ kind: 'hls', url: `${site.origin}/${name}.m3u8` })),
    )
    expect(source.captions).toMatchObject([
      { language: 'de', kind: 'manual', format: 'vtt', transport: { kind: 'hls', url: `${site.origin}/subs.m3u8` } },
    ])
  })

  test('HLS: audio without a bitrate is ordered by the variants that use it', async () => {
    const { renditions } = await site.extract('/audio-groups.m3u8')
    const audio = renditions.filter(({ videoCodec }) => videoCodec === null)
    const tiers = audio.map(({ transport, tier }) => ['url' in transport && transport.url.split('/').at(-1), tier])
    expect(Object.fromEntries(tiers)).toEqual({ 'low.m3u8': 300_000, 'high.m3u8': 2_500_000 })
  })

  test('a playlist without an end tag is live', async () => {
    expect(await site.extract('/live.m3u8')).toMatchObject({ isLive: true, platform: 'hls' })
  })

  test('a playlist of less than a second is not live', async () => {
    expect(await site.extract('/short.m3u8')).toMatchObject({ isLive: false, durationSeconds: 1 })
  })

  test('DASH: segments in order after the initialization segment, with separate audio and captions', async () => {
    const source = await site.extract('/dash.mpd')
    expect(source).toMatchObject({ platform: 'dash', isLive: false })
    expect(source.renditions).toMatchObject([
      { videoCodec: null, audioCodec: 'mp4a.40.2', language: 'en', audioBitrate: 128_000, sizeBytes: null },
      { videoCodec: 'avc1.64001f', audioCodec: null, height: 720, bitrate: 2_000_000, sizeBytes: null },
    ])
    const { transport } = source.renditions[1] ?? {}
    if (transport?.kind !== 'segments') throw new Error('not segments')
    expect([...unpackSegments(transport.segments)]).toEqual(
      ['init.mp4', '1.m4s', '2.m4s', '3.m4s'].map((name, index) => ({
        url: `${site.origin}/v/${name}`,
        range: null,
        key: null,
        seconds: index === 0 ? null : 2,
      })),
    )
    expect(source.captions).toMatchObject([
      { language: 'de', format: 'vtt', transport: { kind: 'file', url: `${site.origin}/de.vtt` } },
    ])
  })

  test('DASH: the time shift of captions is read from every level of the manifest', async () => {
    const { captions } = await site.extract('/times.mpd')
    expect(Object.fromEntries(captions.map(({ language, shiftSeconds }) => [language, shiftSeconds]))).toEqual({
      ...{ aa: -0.5, bb: -2, cc: -1.5, dd: -3, ee: -0.5 },
    })
  })

  test('DASH: byte ranges of one file become that file', async () => {
    const { renditions } = await site.extract('/ranges.mpd')
    expect(renditions).toMatchObject([{ transport: { kind: 'file', url: `${site.origin}/whole.mp4` } }])
  })
})
