import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratchFolder } from '../../../../container/audio/recordings.ts'
import { extractedByFfmpeg, type Line, makeFilm } from '../../../../container/captions/embedded/films.ts'
import { captionsHarness } from '../../../../container/steps/captions-harness.ts'

/** Films of 60 MB, served by an origin that counts what it sends. */
const folder = scratchFolder()

const { harness, foundAt, noneAt } = captionsHarness(folder)

/** The film that is in the folder. The next test may use it too. */
let film = ''

const make = async (name: string, lines: Line[], options: string[] = []) => {
  const recipe = JSON.stringify([name, lines, options])
  if (film === recipe) return
  await Promise.all(['film.mp4', 'film.mkv'].map((old) => rm(join(folder, old), { force: true })))
  await makeFilm(folder, name, lines, options)
  film = recipe
  expect((await stat(join(folder, name))).size).toBeGreaterThan(58_000_000)
}

const sentDuring = async (work: () => Promise<unknown>) => {
  const [bytes, requests] = [harness.origin.sentBytes, harness.origin.requests.length]
  await work()
  return { bytes: harness.origin.sentBytes - bytes, requests: harness.origin.requests.length - requests }
}

const aboutSeconds = (segments: Line[]) =>
  segments.map(({ start, end, text }) => ({ start: expect.closeTo(start, 2), end: expect.closeTo(end, 2), text }))

const atBothEnds: Line[] = [
  { start: 0.5, end: 2, text: 'The first line.' },
  { start: 650, end: 652.5, text: 'The last line.' },
]
const everyFourSeconds: Line[] = Array.from({ length: 160 }, (_, at) => ({
  start: at * 4 + 0.5,
  end: at * 4 + 3,
  text: `Line ${at}.`,
}))

const fragments = ['-min_frag_duration', '10000000', '-movflags']

describe('a film of 60 MB with two lines at both ends of its subtitle track', () => {
  test.each<[title: string, name: string, options: string[]]>([
    ['an MP4 with its index at the end', 'film.mp4', []],
    ['Matroska with its Cues at the beginning', 'film.mkv', ['-cues_to_front', '1']],
  ])('%s: the transcript is what ffmpeg reads, from less than 3 MB', async (_title, name, options) => {
    await make(name, atBothEnds, options)
    const sent = await sentDuring(async () => {
      const { segments, durationSeconds } = await foundAt(`/media/${name}`)
      expect(segments).toEqual(aboutSeconds(await extractedByFfmpeg(folder, name)))
      expect(segments.map(({ text }) => text)).toEqual(['The first line.', 'The last line.'])
      expect(durationSeconds).toBeCloseTo(673.6, 0)
    })
    expect(sent.bytes).toBeLessThan(3_000_000)
    expect(sent.requests).toBeLessThan(10)
  })

  test.each([
    ['ranges', 'noRange', 16_000_000],
    ['ranges and sizes', 'chunked', 48_000_000],
  ])('an origin without %s: there are no captions', async (_title, query, maxBytes) => {
    await make('film.mkv', atBothEnds)
    const sent = await sentDuring(() => noneAt(`/media/film.mkv?${query}`))
    // At most 32 MB are read, and some more is in the buffers of the connections.
    expect(sent.bytes).toBeLessThan(maxBytes)
    expect(sent.requests).toBeLessThan(10)
    expect(harness.log).toMatchObject([{}, { fields: { reason: expect.stringMatching(/ranges|32000000 bytes/) } }, {}])
  })

  // Its ends are not compared: ffmpeg loses the pauses between the fragments when it writes them.
  test.each([
    ['at the end', '+empty_moov+frag_keyframe+default_base_moof'],
    ['at the beginning', '+dash+global_sidx+empty_moov+frag_keyframe'],
  ])('a fragmented MP4 with an index of its fragments %s: less than 4 MB', async (_title, flags) => {
    await make('film.mp4', atBothEnds, [...fragments, flags])
    const sent = await sentDuring(async () => {
      const { segments } = await foundAt('/media/film.mp4')
      expect(segments).toMatchObject(
        atBothEnds.map(({ start, text }) => ({ start: expect.closeTo(start + 0.023, 2), text })),
      )
    })
    expect(sent.bytes).toBeLessThan(4_000_000)
    expect(sent.requests).toBeLessThan(160)
  })

  test('without an index of its lines: there are no captions, and less than 3 MB are sent', async () => {
    await make('film.mkv', atBothEnds, ['-live', '1'])
    const sent = await sentDuring(() => noneAt('/media/film.mkv'))
    expect(sent.bytes).toBeLessThan(3_000_000)
    expect(sent.requests).toBeLessThan(10)
  })
})

describe('a film of 60 MB with a line every four seconds', () => {
  test.each(['film.mp4', 'film.mkv'])('%s: the transcript is what ffmpeg reads, from less than 5 MB', async (name) => {
    await make(name, everyFourSeconds)
    const sent = await sentDuring(async () => {
      const { segments } = await foundAt(`/media/${name}`)
      expect(segments).toHaveLength(160)
      expect(segments).toEqual(aboutSeconds(await extractedByFfmpeg(folder, name)))
    })
    expect(sent.bytes).toBeLessThan(5_000_000)
    expect(sent.requests).toBeLessThan(280)
  })
})

test('a film that changes while its captions are read has none now', async () => {
  await make('film.mkv', everyFourSeconds)
  expect(await noneAt('/media/film.mkv?etagChanges=100')).toMatchObject({ withheld: 'SOURCE_TRUNCATED' })
})

test('a film of 60 MB with an empty subtitle track has no captions, and less than 3 MB are sent', async () => {
  await make('film.mp4', [{ start: 1, end: 2, text: ' ' }])
  const sent = await sentDuring(() => noneAt('/media/film.mp4'))
  expect(sent.bytes).toBeLessThan(3_000_000)
  expect(sent.requests).toBeLessThan(10)
})
