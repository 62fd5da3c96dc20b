import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { substationAlpha } from '../../../doubles/origin/caption-recipes.ts'
import { fixture } from '../../../doubles/origin/fixtures.ts'
import { runs } from '../../../support/runs.ts'
import { scratchFolder } from '../../audio/recordings.ts'
import { extractedByFfmpeg, ffmpeg, srt, startSecondsOf } from './films.ts'
import { reading } from './reading.ts'

const folder = scratchFolder()

const lines = srt([
  { start: 0.5, end: 1.75, text: 'A <i>tone</i> & R&amp;D,\non two lines.' },
  { start: 4.25, end: 5.5, text: 'Ä tone — 音.' },
])
const together = srt([
  { start: 2, end: 3, text: 'Two at' },
  { start: 2, end: 3.5, text: 'the same time.' },
])
const dialogue = (start: string, end: string, text: string) =>
  `Dialogue: 0,0:00:0${start},0:00:0${end},Default,,0,0,0,,${text}`
const styled = substationAlpha(
  dialogue('0.50', '1.75', '{\\i1}A tone{\\i0}, with a comma.\\NOn two lines.'),
  dialogue('2.00', '3.00', '{\\an8\\pos(10,20)}A sign.'),
  dialogue('2.00', '3.00', 'Said at the same time.'),
)

beforeAll(async () => {
  const files = { 'en.srt': lines, 'together.srt': together, 'en.ass': styled }
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)))
})

/** A file of the test's own: six seconds of video with the lines above. */
const make = async (name: string, options: string[], subtitles = ['-i', 'en.srt']) => {
  const codec = /\.(mp4|mov)$/.test(name) ? 'mov_text' : 'copy'
  const video = ['-i', fixture(name.endsWith('webm') ? 'clip.webm' : 'source-180.mp4')]
  const both = ['-map', '0', '-map', '1', '-c', 'copy', '-c:s', codec]
  await ffmpeg(folder, [...video, ...subtitles, ...both, ...options, name])
  return join(folder, name)
}

describe('the first track of a file has the text and the times that ffmpeg reads', () => {
  test.each(['mov_text.mp4', 'subrip.mkv', 'webvtt.webm', 'ass.mkv', 'long.mp4', 'forced.mkv'])('%s', (name) =>
    expectSameAsFfmpeg(fixture(`subtitled/${name}`)),
  )

  test.each<[name: string, options: string[], subtitles?: string[]]>([
    ['lines.mp4', []],
    ['front.mp4', ['-movflags', '+faststart']],
    ['front.mkv', ['-cues_to_front', '1']],
    ['lines.mov', []],
    ['lines.mkv', []],
    ['lines.webm', ['-c:s', 'webvtt']],
    ['styled.mkv', [], ['-i', 'en.ass']],
    ['together.mkv', [], ['-i', 'together.srt']],
    ['delayed.mp4', [], ['-itsoffset', '1.5', '-i', 'en.srt']],
    ['delayed.mkv', [], ['-itsoffset', '1.5', '-i', 'en.srt']],
    ['without-cues.mkv', ['-live', '1']],
    ['late.mkv', ['-output_ts_offset', '30']],
    ['late.mp4', ['-output_ts_offset', '30']],
  ])('%s %s', async (name, options, subtitles) => {
    await expectSameAsFfmpeg(await make(name, options, subtitles))
  })
})

const expectSameAsFfmpeg = async (path: string) => {
  const file = reading(await readFile(path))
  if (path.includes('without-cues')) file.fetchAll()
  const [track] = file.tracks()
  const segments = file.segments(track?.id ?? 0, await startSecondsOf(path))
  const extracted = await extractedByFfmpeg(folder, path)
  expect(segments.length).toBeGreaterThan(0)
  expect(segments).toEqual(
    extracted.map(({ start, end, text }) => ({ start: expect.closeTo(start, 2), end: expect.closeTo(end, 2), text })),
  )
}

test('a line of an MP4 that has hardly any time of its own is kept, which ffmpeg loses', async () => {
  const path = await make('together.mp4', [], ['-i', 'together.srt'])
  const file = reading(await readFile(path))
  const [track] = file.tracks()
  expect(file.segments(track?.id ?? 0)).toMatchObject([{ text: 'Two at the same time.' }])
  expect(await extractedByFfmpeg(folder, path)).toMatchObject([{ text: 'the same time.' }])
})

test('a film with chapters has no track of their titles', async () => {
  await writeFile(join(folder, 'chapters.txt'), ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=3\ntitle=One\n')
  const path = await make('chapters.mp4', ['-map_chapters', '2'], ['-i', 'en.srt', '-i', 'chapters.txt'])
  const bytes = await readFile(path)
  expect(bytes.includes('chap')).toBe(true)
  expect(reading(bytes).tracks()).toHaveLength(1)
})

/** Stops synchronous work that does not end. */
const interruptible = <T>(work: () => T): T => runInNewContext('work()', { work }, { timeout: 20_000 })

describe('a file that is damaged at any place is read or refused, and nothing is fetched twice', () => {
  test.each<[name: string, options: string[]]>([
    ['damaged.mp4', ['-movflags', '+faststart']],
    ['damaged.mp4', ['-movflags', '+frag_keyframe+empty_moov']],
    ['damaged.mp4', ['-movflags', '+dash+global_sidx+frag_keyframe+empty_moov']],
    ['damaged.mkv', ['-cues_to_front', '1']],
  ])('%s %s', async (name, options) => {
    const whole = await readFile(await make(name, options))
    // The index is in the first bytes. Damage elsewhere rarely matters.
    const place = fc.oneof(fc.nat(3_000), fc.nat(8_000), fc.nat(whole.length - 1))
    const damage = fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(damage, fc.oneof(fc.constant(whole.length), fc.nat(whole.length)), (changes, length) => {
        const damaged = Buffer.from(whole.subarray(0, Math.max(length, 16)))
        for (const [at, value] of changes) if (at < damaged.length) damaged[at] = value
        const file = reading(damaged)
        try {
          for (const { id } of interruptible(() => file.tracks())) {
            for (const { start, end } of interruptible(() => file.segments(id))) expect(end).toBeGreaterThan(start)
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
          expect((error as { code?: string }).code).not.toBe('ERR_SCRIPT_EXECUTION_TIMEOUT')
        }
        expect(file.fetchedBytes).toBeLessThan(damaged.length * 3)
      }),
      runs(150),
    )
  })
})
