import { expect, describe as group, test } from 'vitest'
import { describe } from '../../../../container/source/extractor/describe.ts'
import { type Format, Info } from '../../../../container/source/extractor/extractor-answer.ts'
import type { Transport } from '../../../../container/source/source.ts'
import { unpackSegments } from '../../../../container/source/transfer/segment-list.ts'

const url = 'https://video.example/watch'
const format = (fields: Partial<Format>): Format => ({
  format_id: 'f',
  url: 'https://cdn.example/f.mp4',
  protocol: 'https',
  ext: 'mp4',
  ...fields,
})
const info = (fields: Record<string, unknown>) =>
  Info.parse({
    title: 'A video',
    extractor: 'youtube',
    webpage_url: url,
    formats: [format({})],
    subtitles: {},
    automatic_captions: {},
    chapters: [],
    several: false,
    ...fields,
  })
const HOUR = 3_600
const now = 1_800_000_000
const described = (fields: Record<string, unknown>) => describe(info(fields), url, now * 1_000)
const segmentsOf = (transport: Transport | undefined) =>
  transport?.kind === 'segments' ? [...unpackSegments(transport.segments)] : []
const rendition = (fields: Partial<Format>) => described({ formats: [format(fields)] }).renditions[0]

test('a file, and not the best, is omitted when the URLs of an answer have more than 65 million characters', () => {
  const fragments = Array.from({ length: 100_000 }, (_, index) => `${index}`)
  const long = {
    protocol: 'http_dash_segments',
    fragment_base_url: `https://cdn.example/${'a'.repeat(400)}/`,
    fragments,
  }
  const { renditions } = described({
    formats: [format({ format_id: 'low', ...long }), format({ format_id: 'high', ...long })],
  })
  expect(renditions.map(({ id, preference }) => [id, preference])).toEqual([['high', 1]])
})

test('segments with absolute URLs need no base', () => {
  const { transport } =
    rendition({ protocol: 'http_dash_segments', url: '', fragments: ['https://cdn.example/1'] }) ?? {}
  expect(segmentsOf(transport).map((segment) => segment.url)).toEqual(['https://cdn.example/1'])
})

test('a base with a long query does not count, because the URLs do not contain it', () => {
  const fragments = Array.from({ length: 100_000 }, (_, index) => `${index}`)
  const base = `https://cdn.example/a/manifest.mpd?token=${'a'.repeat(10_000)}`
  const [segment] = segmentsOf(
    rendition({ protocol: 'http_dash_segments', fragment_base_url: base, fragments })?.transport,
  )
  expect(segment?.url).toBe('https://cdn.example/a/0')
})

group('renditions', () => {
  test.each([
    ['a file with both', { vcodec: 'avc1.64001f', acodec: 'mp4a.40.2' }, ['avc1.64001f', 'mp4a.40.2']],
    ['video alone', { vcodec: 'vp9', acodec: 'none' }, ['vp9', null]],
    ['audio alone', { vcodec: 'none', acodec: 'opus' }, [null, 'opus']],
    ['unknown codecs', {}, ['unknown', 'unknown']],
  ])('codecs: %s', (_, fields, codecs) => {
    expect([rendition(fields)?.videoCodec, rendition(fields)?.audioCodec]).toEqual(codecs)
  })

  test('a size may be known, estimated or unknown', () => {
    expect(rendition({ filesize: 10, filesize_approx: 11 })).toMatchObject({ sizeBytes: 10, sizeIsEstimate: false })
    expect(rendition({ filesize_approx: 11 })).toMatchObject({ sizeBytes: 11, sizeIsEstimate: true })
    expect(rendition({})).toMatchObject({ sizeBytes: null, sizeIsEstimate: false })
  })

  test('bitrates are in bits per second; without video the total is the audio bitrate', () => {
    expect(rendition({ tbr: 1000.5, abr: 128 })).toMatchObject({ bitrate: 1_000_500, audioBitrate: 128_000 })
    expect(rendition({ vcodec: 'none', tbr: 96 })).toMatchObject({ bitrate: 96_000, audioBitrate: 96_000 })
    expect(rendition({ tbr: 500 })).toMatchObject({ bitrate: 500_000, audioBitrate: null })
  })

  test('the headers of the platform are kept, except Accept-Encoding', () => {
    const headers = { Referer: url, Cookie: 'a=b', 'Accept-Encoding': 'gzip' }
    expect(rendition({ http_headers: headers })?.transport).toEqual({
      kind: 'file',
      url: 'https://cdn.example/f.mp4',
      headers: { Referer: url, Cookie: 'a=b' },
    })
  })

  test('storyboards and unsupported protocols are omitted; the order is the preference', () => {
    const { renditions } = described({
      formats: [
        format({ format_id: 'sb0', ext: 'mhtml', protocol: 'mhtml' }),
        format({ format_id: 'rtmp', protocol: 'rtmp', url: 'rtmp://a/b' }),
        format({ format_id: 'ism', protocol: 'ism', fragments: ['x'] }),
        format({ format_id: 'ws', protocol: 'websocket_frag', url: 'wss://a/b' }),
        format({ format_id: 'file', protocol: 'https', url: 'file:///etc/passwd' }),
        format({ format_id: 'images', vcodec: 'none', acodec: 'none' }),
        format({ format_id: 'hls', protocol: 'm3u8_native' }),
        format({ format_id: 'hls-ffmpeg', protocol: 'm3u8' }),
        format({ format_id: 'plain', protocol: 'http', url: 'http://a/b' }),
      ],
    })
    expect(renditions.map(({ id, preference, transport }) => [id, preference, transport.kind])).toEqual([
      ['hls', 6, 'hls'],
      ['hls-ffmpeg', 7, 'hls'],
      ['plain', 8, 'file'],
    ])
  })

  test('segment URLs are resolved against their base, and one that cannot be resolved makes all unusable', () => {
    const base = { protocol: 'http_dash_segments', fragment_base_url: 'https://cdn.example/a/' }
    const { transport } = rendition({ ...base, fragments: ['init.mp4', 'https://other.example/1.m4s'] }) ?? {}
    expect(segmentsOf(transport)).toMatchObject([
      { url: 'https://cdn.example/a/init.mp4' },
      { url: 'https://other.example/1.m4s' },
    ])
    expect(() => rendition({ ...base, fragments: ['init.mp4', null] })).toThrow('SOURCE_UNSUPPORTED')
    expect(() => rendition({ ...base, fragments: ['init.mp4', 'file:///etc/passwd'] })).toThrow('SOURCE_UNSUPPORTED')
    expect(() => rendition({ ...base, fragments: [] })).toThrow('SOURCE_UNSUPPORTED')
  })

  test('DRM formats are omitted; a source with no other formats fails with SOURCE_DRM', () => {
    const formats = [format({ format_id: 'drm', has_drm: true }), format({ format_id: 'free' })]
    expect(described({ formats }).renditions.map(({ id }) => id)).toEqual(['free'])
    expect(() => described({ formats: formats.slice(0, 1) })).toThrow('SOURCE_DRM')
  })
})

group('the source', () => {
  test.each([
    [{}, false],
    [{ is_live: true }, true],
    [{ live_status: 'is_live' }, true],
    [{ live_status: 'is_upcoming' }, true],
    [{ live_status: 'was_live' }, false],
    [{ live_status: 'not_live' }, false],
  ])('%o is live: %s', (fields, isLive) => expect(described(fields).isLive).toBe(isLive))

  const endedHoursAgo = (hours: number) => ({ release_timestamp: now - (hours + 2) * HOUR, duration: 2 * HOUR })
  test.each([
    ['that ended an hour ago', endedHoursAgo(1), true],
    ['that ended less than 12 hours ago', endedHoursAgo(11.9), true],
    ['that ended 12 hours ago', endedHoursAgo(12), false],
    ['whose start is stated as its time alone', { timestamp: now - 13 * HOUR, duration: 2 * HOUR }, true],
    ['that began 12 hours ago, without a length', { release_timestamp: now - 12 * HOUR }, false],
    ['whose start is not stated', { duration: HOUR }, false],
    ['that still runs', { ...endedHoursAgo(20), is_live: true }, true],
  ])('a stream %s, whose recording is being prepared: %o', (_, fields, isLive) => {
    expect(described({ live_status: 'post_live', ...fields }).isLive).toBe(isLive)
  })

  test('has the platform, the chapters and the thumbnail', () => {
    const source = described({
      extractor: 'Vimeo:album',
      duration: 12.5,
      thumbnail: 'https://i.example/1.jpg',
      chapters: [
        { start_time: 0, end_time: 5, title: 'Intro' },
        { start_time: 5, end_time: 12.5 },
      ],
    })
    expect(source).toMatchObject({
      platform: 'vimeo',
      durationSeconds: 12.5,
      thumbnailUrl: 'https://i.example/1.jpg',
      chapters: [
        { title: 'Intro', startSeconds: 0, endSeconds: 5 },
        { title: 'Chapter 2', startSeconds: 5, endSeconds: 12.5 },
      ],
    })
    expect(described({ thumbnail: 'data:image/png;base64,' }).thumbnailUrl).toBeNull()
  })
})

group('what the source says of itself', () => {
  const about = (fields: Record<string, unknown>) => described(fields).about

  test('is empty where it says nothing', () => {
    const nothing = { id: null, uploader: null, publishedAt: null, description: null, tags: [], language: null }
    expect(about({})).toEqual(nothing)
  })

  test.each([
    [{ uploader: 'Ada', channel: 'Talks', creator: 'Ada, Bob' }, 'Ada'],
    [{ channel: 'Talks', creator: 'Ada, Bob' }, 'Talks'],
    [{ uploader: ' \u0007', channel: '', creator: 'Ada, Bob' }, 'Ada, Bob'],
    [{ uploader: ['Ada'], channel: { name: 'Talks' }, creator: 7 }, null],
    [{ uploader: ' A\u0000d\u202ea ' }, 'A da'],
    [{ uploader: `${'a'.repeat(199)}\u{1f600}` }, 'a'.repeat(199)],
  ])('of %j the uploader is %j', (fields, uploader) => expect(about(fields).uploader).toBe(uploader))

  test.each([
    [{ timestamp: 1_772_593_567.25, release_timestamp: 1, upload_date: '20200101' }, '2026-03-04T03:06:07.250Z'],
    [{ release_timestamp: 1_772_593_567, upload_date: '20200101' }, '2026-03-04T03:06:07.000Z'],
    [{ upload_date: '20240229' }, '2024-02-29T00:00:00.000Z'],
    [{ timestamp: -1, upload_date: '20240229' }, '2024-02-29T00:00:00.000Z'],
    [{ timestamp: 0 }, null],
    [{ timestamp: 1_772_593_567_000 }, null],
    [{ timestamp: '1772593567' }, null],
    [{ upload_date: '20230229' }, null],
    [{ upload_date: '19691231' }, null],
    [{ upload_date: '2024-02-29' }, null],
    [{ upload_date: '2024' }, null],
    [{ upload_date: 'soon' }, null],
  ])('%j is published at %j', (fields, date) => expect(about(fields).publishedAt).toBe(date))

  test.each([
    ['html5', 'watch-1', 'watch'],
    ['html5', 'watch-11', 'watch-11'],
    ['generic', 'watch-1', 'watch-1'],
    ['youtube', 'aqz-KE-bpKQ', 'aqz-KE-bpKQ'],
    ['youtube', 'a'.repeat(101), 'a'.repeat(100)],
  ])('%s: the id %s is %s', (extractor, id, expected) => expect(about({ extractor, id }).id).toBe(expected))

  test('the language is that of the speech', () => {
    expect(about({ language: 'de' }).language).toBe('de')
    expect(about({ language: 'de', automatic_captions: { 'en-orig': [] } }).language).toBe('en')
  })

  test('a description keeps its lines, and ends after 10,000 characters', () => {
    expect(about({ description: ' One\r\n\nTwo\t\u202e\rThree\n' }).description).toBe('One\n\nTwo \nThree')
    expect(about({ description: 'a'.repeat(10_001) }).description).toBe('a'.repeat(10_000))
    expect(about({ description: `${'a'.repeat(9_999)}\u{1f600}` }).description).toBe('a'.repeat(9_999))
  })

  test('100 tags of 100 characters are kept', () => {
    const tags = [' ', 'a'.repeat(101), ...Array.from({ length: 200 }, (_, index) => `${index}`)]
    expect(about({ tags }).tags).toEqual(['a'.repeat(100), ...tags.slice(2, 100)])
    expect(about({ tags: ['a', 1] }).tags).toEqual([])
  })
})

group('captions', () => {
  const track = (ext: string, fields = {}) => ({ ext, url: `https://c.example/${ext}`, ...fields })
  const captions = (fields: Record<string, unknown>) =>
    described(fields).captions.map(({ language, kind, original, format }) => [language, kind, original, format])

  test('json3 is preferred to vtt, and unsupported formats are omitted', () => {
    const subtitles = {
      en: [track('json3'), track('srv1'), track('vtt')],
      de: [track('srv3'), track('ttml'), track('vtt')],
      fr: [track('srv3')],
      live_chat: [track('json', { protocol: 'youtube_live_chat' })],
    }
    expect(captions({ subtitles })).toEqual([
      ['en', 'manual', true, 'json3'],
      ['de', 'manual', true, 'vtt'],
    ])
  })

  test('xx-orig is the spoken language; the others are machine translations', () => {
    const automatic_captions = { de: [track('vtt')], en: [track('vtt')], 'en-orig': [track('json3')] }
    const subtitles = { 'en-US': [track('vtt')], fr: [track('vtt')] }
    expect(captions({ automatic_captions, subtitles })).toEqual([
      ['en-US', 'manual', true, 'vtt'],
      ['fr', 'manual', false, 'vtt'],
      ['de', 'automatic', false, 'vtt'],
      ['en', 'automatic', true, 'json3'],
    ])
  })

  test('without xx-orig the language of the page is the spoken one; without either, any may be', () => {
    const automatic_captions = { de: [track('vtt')], en: [track('vtt')] }
    expect(captions({ automatic_captions, language: 'de' }).map(([, , original]) => original)).toEqual([true, false])
    expect(captions({ automatic_captions }).map(([, , original]) => original)).toEqual([true, true])
  })

  test('captions in several periods are one track, with the best format of each period', () => {
    const inPeriod = (period: number, shift: number) => [
      track('ttml', { period, shift }),
      track('vtt', { period, shift }),
    ]
    const [first, ...others] = described({ subtitles: { en: [...inPeriod(0, -1), ...inPeriod(1, 6)] } }).captions
    const transport = { kind: 'file', url: 'https://c.example/vtt', headers: {} }
    expect(first).toMatchObject({ format: 'vtt', transport, shiftSeconds: -1, later: [{ transport, shiftSeconds: 6 }] })
    expect(others).toEqual([])
  })

  test('segmented tracks are fetched by HLS', () => {
    const source = described({ subtitles: { en: [track('vtt', { protocol: 'm3u8_native' })] } })
    expect(source.captions[0]?.transport).toEqual({ kind: 'hls', url: 'https://c.example/vtt', headers: {} })
  })
})

group('limits of what a source may list', () => {
  test('the best 2,000 renditions are kept', () => {
    const formats = Array.from({ length: 2_500 }, (_, index) => format({ format_id: `${index}` }))
    const { renditions } = described({ formats })
    expect([renditions.length, renditions[0]?.id, renditions.at(-1)?.id]).toEqual([2_000, '500', '2499'])
  })

  test('titles end after 500 characters, not within one', () => {
    const title = `${'a'.repeat(499)}\u{1f600}b`
    const chapters = [{ title, start_time: 0, end_time: 1 }]
    const source = described({ title, chapters })
    expect([source.title, source.chapters[0]?.title]).toEqual(['a'.repeat(499), 'a'.repeat(499)])
  })

  test('1,000 chapters and 2,000 caption tracks are kept, and tracks with long names are omitted', () => {
    const chapters = Array.from({ length: 1_001 }, () => ({ start_time: 0, end_time: 1 }))
    const names = [...Array.from({ length: 2_001 }, (_, index) => `x-${index}`), 'y'.repeat(101)]
    const subtitles = Object.fromEntries(names.map((name) => [name, [{ url: 'https://a.example/1.vtt', ext: 'vtt' }]]))
    const source = described({ chapters, subtitles })
    expect([source.chapters.length, source.captions.length]).toEqual([1_000, 2_000])
  })

  test('a rendition with a URL or headers of more than 16,384 characters is omitted', () => {
    const formats = [
      format({ format_id: 'url', url: `https://cdn.example/${'a'.repeat(16_384)}` }),
      format({ format_id: 'headers', http_headers: { Cookie: 'a'.repeat(16_384) } }),
      format({ format_id: 'good' }),
    ]
    expect(described({ formats }).renditions.map(({ id }) => id)).toEqual(['good'])
  })

  test('a thumbnail with such a URL is none', () => {
    expect(described({ thumbnail: `https://cdn.example/${'a'.repeat(16_384)}` }).thumbnailUrl).toBeNull()
  })

  test('a rendition of too many segments is omitted', () => {
    const fragments = Array.from({ length: 130_001 }, (_, index) => `${index}.m4s`)
    const dash = format({ protocol: 'http_dash_segments', fragment_base_url: 'https://cdn.example/a/', fragments })
    expect(described({ formats: [dash, format({ format_id: 'file' })] }).renditions.map(({ id }) => id)).toEqual([
      'file',
    ])
  })
})
