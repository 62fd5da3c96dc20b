import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { python } from '../source/extractor/shared-extractor.ts'
import { captionsHarness } from '../steps/captions-harness.ts'

describe.runIf(existsSync(python))('a DASH manifest', () => {
  const { foundAt, noneAt } = captionsHarness()

  test.each([
    ['WebVTT', 'en', 'A tone. Still a tone.'],
    ['TTML', 'de', 'Ein Ton.'],
  ])('with captions as one %s file', async (_format, language, text) => {
    expect((await foundAt('/media/dash-subtitles/manifest.mpd', language)).text).toBe(text)
  })

  test('of several periods gives the captions of all, each at the start of its period', async () => {
    const { segments } = await foundAt('/media/dash-subtitles/periods.mpd')
    expect(segments).toEqual([
      { start: 0.5, end: 2, text: 'A tone.' },
      { start: 2.5, end: 5, text: 'Still a tone.' },
      { start: 6.5, end: 8, text: 'A tone.' },
      { start: 8.5, end: 11, text: 'Still a tone.' },
      { start: 18.75, end: 20.25, text: 'A tone.' },
      { start: 20.75, end: 23.25, text: 'Still a tone.' },
    ])
  })

  test('without captions gives the duration', async () => {
    expect(await noneAt('/media/dash/manifest.mpd')).toMatchObject({ durationSeconds: expect.closeTo(6, 0) })
  })
})

describe.runIf(existsSync(python))('captions in MP4 segments made by Shaka Packager', () => {
  const { foundAt } = captionsHarness(join(import.meta.dirname, 'tracks'))

  test('WebVTT, with speakers', async () => {
    const { segments, facts } = await foundAt('/media/dash/manifest.mpd', 'en')
    expect(segments).toEqual([
      { start: 0.5, end: 2, text: 'A tone & nothing else.' },
      { start: 2.5, end: 5, text: 'Still a tone, on two lines.', speaker: 'Ann' },
    ])
    expect(facts).toMatchObject({ language: 'en' })
    expect(facts.durationSeconds).toBeCloseTo(6, 1)
  })

  /** The manifest with some attributes replaced. */
  const changed = (...swaps: [from: string, to: string][]) => {
    const query = swaps.map(([from, to]) => `swap=${encodeURIComponent(`${from}|${to}`)}`)
    return `/media/dash/manifest.mpd?${query.join('&')}`
  }
  const timescale = 'timescale="1000"'
  const offset = `${timescale} presentationTimeOffset="1500"`

  test.each([
    ['an offset of the media', 'en', changed([timescale, offset]), [0, 0.5, 1, 3.5]],
    ['an offset of the media, in TTML', 'de', changed([timescale, offset]), [0, 0.5, 1, 3.5]],
    [
      'an offset after the start of the first cue',
      'en',
      changed([timescale, offset.replace('1500', '2000')]),
      [0.5, 3],
    ],
    [
      'a period that starts at the time of day',
      'en',
      changed(['<Period ', '<Period start="PT9H30M" ']),
      [0.5, 2, 2.5, 5],
    ],
    ['both', 'en', changed([timescale, offset], ['<Period ', '<Period start="PT9H30M" ']), [0, 0.5, 1, 3.5]],
  ])('have the times of the manifest: %s', async (_what, language, path, times) => {
    const { segments } = await foundAt(path, language)
    expect(segments.flatMap(({ start, end }) => [start, end])).toEqual(times)
  })

  test('TTML', async () => {
    const { segments } = await foundAt('/media/dash/manifest.mpd', 'de')
    expect(segments).toEqual([
      { start: 0.5, end: 2, text: 'Ein Ton & sonst nichts.' },
      { start: 2.5, end: 5, text: 'Immer noch ein Ton.' },
    ])
  })
})
