import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { python } from '../source/extractor/shared-extractor.ts'
import { captionsHarness } from './captions-harness.ts'
import { codeOf } from './step-harness.ts'

const { harness: web, start, foundAt, noneAt } = captionsHarness()

const sixSeconds = expect.closeTo(6, 1)

describe.runIf(existsSync(python))('a page', () => {
  test('gives the segments of its track and the duration of its video', async () => {
    const { text, segments, facts, title, chapters } = await foundAt('/page/video.html')
    expect(segments).toEqual([
      { start: 0.5, end: 2, text: 'A tone.' },
      { start: 2.5, end: 5, text: 'Still a tone.' },
    ])
    expect(text).toBe('A tone. Still a tone.')
    expect(facts).toMatchObject({ language: 'en', durationSeconds: 6, segments: 2, hasWords: false, plainBytes: null })
    expect([title, chapters]).toEqual(['A page with a video', []])
  })

  test.each([
    ['de', 'de', 'Ein Ton.'],
    ['en', 'en-GB', 'A tone.'],
  ])('gives the track in the requested language: %s', async (requested, language, first) => {
    const { facts, segments } = await foundAt('/page/languages.html', requested)
    expect(facts.language).toBe(language)
    expect(segments[0]?.text).toBe(first)
  })

  test('has none in a language without a track', async () => {
    expect(await noneAt('/page/languages.html', 'ja')).toMatchObject({ durationSeconds: sixSeconds })
  })

  test('whose first track is missing and whose second is empty gives the third', async () => {
    expect((await foundAt('/page/stale.html')).facts.language).toBe('de')
  })

  test.each([
    ['SOURCE_RATE_LIMITED', 'status=429&retryAfter=0'],
    ['SOURCE_UNREACHABLE', 'status=503&retryAfter=0'],
    ['SOURCE_BLOCKED', 'status=403'],
  ])('whose captions exist but cannot be fetched reports why: %s', async (code, faults) => {
    const swap = encodeURIComponent(`en.vtt|en.vtt?${faults}`)
    expect(await noneAt(`/page/video.html?swap=${swap}`)).toMatchObject({ withheld: code })
  })

  test.each(['empty.vtt', 'nowhere.vtt'])('whose captions are empty or missing has none: %s', async (name) => {
    expect(await noneAt(`/page/video.html?swap=en.vtt|${name}`)).toMatchObject({ withheld: null })
  })

  test('whose captions are large files without text has none, and at most 32 MB are read', async () => {
    const before = web.origin.sentBytes
    await noneAt('/page/large-captions.html')
    const reasons = web.log.flatMap(({ fields }) => (fields && 'reason' in fields ? [fields.reason] : []))
    expect(reasons).toContain('More than 32000000 bytes of the source would have to be read.')
    // Some more is in the buffers of the connections.
    expect(web.origin.sentBytes - before).toBeLessThan(48_000_000)
  })

  test('gives its second track when the first cannot be fetched', async () => {
    const swap = encodeURIComponent('/en.vtt|/en.vtt?status=403')
    expect((await foundAt(`/page/languages.html?swap=${swap}`)).facts.language).toBe('de')
  })

  test('with styled captions gives their text without styles', async () => {
    expect((await foundAt('/page/ass.html')).text).toBe('A styled tone. Still styled.')
  })

  test('with captions only inside its video file gives those', async () => {
    expect((await foundAt('/page/subtitled.html')).text).toBe('A tone, inside. Still a tone. The last tone.')
  })

  test('without captions reports the duration of its video, for the quote', async () => {
    expect(await noneAt('/page/several.html')).toMatchObject({ durationSeconds: sixSeconds })
  })

  test('has its video probed and its captions fetched in parallel', async () => {
    const [video, captions] = ['/media/faststart.mp4?holdAfter=0', '/media/captions/en.vtt?holdAfter=0']
    const swaps = [video, captions].map((held) => `swap=${encodeURIComponent(`${held.split('?')[0]}|${held}`)}`)
    const finding = foundAt(`/page/video.html?${swaps.join('&')}`)
    const requested = () => web.origin.requests.filter(({ query }) => query.has('holdAfter')).map(({ path }) => path)
    await expect.poll(() => new Set(requested()).size).toBe(2)
    for (const held of [video, captions]) web.origin.release(held)
    expect((await finding).facts).toMatchObject({ durationSeconds: 6, segments: 2 })
  })
})

describe.runIf(existsSync(python))('a manifest', () => {
  test('HLS: the segments of a rendition are merged, and a cue that spans two of them stays one', async () => {
    const { segments, facts } = await foundAt('/media/hls-subtitles/master.m3u8', 'en')
    expect(segments).toEqual([
      { start: 0.5, end: 2, text: 'A tone.' },
      { start: 2.5, end: 4, text: 'It spans the cut.' },
      { start: 4.5, end: 5.5, text: 'The end.' },
    ])
    expect(facts).toMatchObject({ language: 'en', durationSeconds: 6 })
  })

  test('HLS: another language is another rendition', async () => {
    expect((await foundAt('/media/hls-subtitles/master.m3u8', 'de')).text).toBe('Ein Ton.')
  })

  test('without captions reports the duration and the approximate size of the audio', async () => {
    const { durationSeconds, audioBytes } = await noneAt('/media/hls-ts/master.m3u8')
    expect(durationSeconds).toBe(6)
    expect(audioBytes).toBeGreaterThan(100_000)
    expect(audioBytes).toBeLessThan(400_000)
  })
})

describe('a media file', () => {
  const inside = 'A tone, inside. Still a tone. The last tone.'
  const german = 'Ein Ton, innen. Immer noch ein Ton.'
  // Every format is compared with ffmpeg in captions/embedded/real-files.test.ts.
  test.each([
    ['mov_text.mp4', null, 'en', inside],
    ['ass.mkv', null, 'und', 'A styled tone. Still styled.'],
    ['mov_text.mp4', 'de', 'de', german],
    ['subrip.mkv', 'de', 'de', german],
  ])('%s gives its captions in the requested language: %j', async (name, requested, language, text) => {
    const found = await foundAt(`/media/subtitled/${name}`, requested)
    expect(found.text).toBe(text)
    expect(found.facts).toMatchObject({ language, durationSeconds: expect.closeTo(6, 1) })
    expect(found.segments[0]).toMatchObject({ start: expect.closeTo(0.5, 1), end: expect.closeTo(1.75, 1) })
  })

  test('whose index is far behind its first bytes gives its captions too', async () => {
    const { text, facts } = await foundAt('/media/subtitled/long.mp4')
    expect(text).toBe(inside)
    expect(facts.durationSeconds).toBeCloseTo(30, 0)
  })

  test.each([
    ['long.mp4', 'noRange', 'serves no ranges'],
    ['long.mp4', 'chunked', 'does not tell the size of the file'],
    ['without-cues.mkv', '', 'serves ranges, but the file has no index'],
  ])('of 2 MB gives its captions too, if the origin of %s?%s %s', async (name, query) => {
    expect((await foundAt(`/media/subtitled/${name}?${query}`)).text).toBe(inside)
  })

  test('with a forced default track gives the full track instead', async () => {
    expect((await foundAt('/media/subtitled/forced.mkv')).text).toBe(inside)
  })

  test('with image subtitles has none and is not downloaded', async () => {
    expect(await noneAt('/media/subtitled/pictures.mkv')).toMatchObject({ durationSeconds: sixSeconds })
  })

  test('without subtitles is not downloaded: its duration is read from its first bytes', async () => {
    const size = 40_000_000
    const before = web.origin.requests.length
    expect(await noneAt(`/generated/${size}.mp4`)).toEqual({
      durationSeconds: sixSeconds,
      audioBytes: size,
      withheld: null,
    })
    const ranges = web.origin.requests.slice(before).map(({ headers }) => headers.range)
    expect(ranges).toEqual(['bytes=0-1048575'])
  })

  test('without a track in the requested language has none', async () => {
    expect(await noneAt('/media/subtitled/subrip.mkv', 'fr')).toMatchObject({ durationSeconds: sixSeconds })
  })

  test.each(['/media/tone.mp3', '/media/clip.ts'])('%s has none', async (path) => {
    expect(await noneAt(path)).toMatchObject({ durationSeconds: expect.closeTo(6, 0) })
  })

  test('without captions and without sound has nothing that could be quoted', async () => {
    expect(await noneAt('/media/video-only.mp4')).toMatchObject({ durationSeconds: null, audioBytes: null })
  })

  test('that is missing fails with SOURCE_NOT_FOUND', async () => {
    await start('/media/nowhere.mp4')
    expect(codeOf(web)).toBe('SOURCE_NOT_FOUND')
  })
})
