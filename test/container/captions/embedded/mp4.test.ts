import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCaptionSegments } from '../../../../container/captions/read.ts'
import { box, textTrak, timedText, trak, words } from '../../../doubles/origin/media-bytes.ts'
import { NotRead, reading } from './reading.ts'

const one = { start: 1, end: 2, text: 'One.' }
const texts = ['', 'One.', '', 'Two.'].map(timedText)

/** Tables of samples of a second each, in one chunk. */
const tables = (chunkAt: number, sizes = texts.map(({ length }) => length)) => [
  box('stts', words(0, 1, sizes.length, 1_000)),
  box('stsz', words(0, 0, sizes.length, ...sizes)),
  box('stsc', words(0, 1, 1, sizes.length, 1)),
  box('stco', words(0, 1, chunkAt)),
]
const mvhd = box('mvhd', words(0, 0, 0, 1_000))
const ftyp = box('ftyp', Buffer.from('isom'))

/** Media data before the index: two megabytes, then the text. */
const before = Buffer.concat([
  ftyp,
  words(2_000_008 + Buffer.concat(texts).length),
  Buffer.from('mdat'),
  Buffer.alloc(2_000_000),
])
const chunkAt = before.length
const movie = (...content: Buffer[]) => Buffer.concat([before, ...texts, box('moov', mvhd, ...content)])

describe('the samples that the tables of an MP4 list', () => {
  test('are read without the media around them, pauses included', () => {
    const file = reading(movie(textTrak(...tables(chunkAt))))
    expect(file.segments(1)).toEqual([one, { start: 3, end: 4, text: 'Two.' }])
    expect(file.fetchedBytes).toBeLessThan(1_000)
  })

  test('may be in several chunks', () => {
    const [, second = chunkAt] = [0, chunkAt + 2 + 6]
    const chunked = [
      box('stts', words(0, 2, 1, 1_000, 3, 500)),
      box('stsz', words(0, 0, 4, 2, 6, 2, 6)),
      box('stsc', words(0, 2, 1, 2, 1, 2, 1, 1)),
      box('co64', words(0, 3, 0, chunkAt, 0, second, 0, second + 2)),
    ]
    expect(reading(movie(textTrak(...chunked))).segments(1)).toEqual([
      { start: 1, end: 1.5, text: 'One.' },
      { start: 2, end: 2.5, text: 'Two.' },
    ])
  })

  test('may have compact sizes', () => {
    const [stts, , stsc, stco] = tables(chunkAt) as [Buffer, Buffer, Buffer, Buffer]
    const stz2 = box('stz2', words(0, 8, 4), Buffer.of(2, 6, 2, 6))
    expect(reading(movie(textTrak(stts, stz2, stsc, stco))).segments(1)).toHaveLength(2)
  })

  test.each([
    ['a pause before the track', words(0, 2, 5_000, 0xffffffff, 65_536, 4_000, 0, 65_536), 6],
    ['a part that is skipped', words(0, 1, 4_000, 500, 65_536), 0.5],
    ['both, in 64 bits', words(0x01000000, 2, 0, 5_000, 0xffffffff, 0xffffffff, 65_536, 0, 4_000, 0, 500, 65_536), 5.5],
  ])('are moved by the edit list: %s', (_title, list, start) => {
    const edited = textTrak(...tables(chunkAt))
    const content = Buffer.concat([edited.subarray(8), box('edts', box('elst', list))])
    expect(reading(movie(box('trak', content))).segments(1)[0]?.start).toBe(start)
  })

  test('are moved to the start of the media', () => {
    expect(reading(movie(textTrak(...tables(chunkAt)))).segments(1, 0.25)[0]).toEqual({
      start: 0.75,
      end: 1.75,
      text: 'One.',
    })
  })
})

describe('tracks', () => {
  const listed = (...content: Buffer[]) => reading(movie(...content)).tracks()

  test('state their language and format', () => {
    const track = { id: 1, language: 'eng', isDefault: true, isForced: false, format: 'tx3g' }
    expect(listed(textTrak(...tables(chunkAt)))).toEqual([track])
  })

  test('of chapter titles, images and encrypted text are not listed', () => {
    const chapters = box('trak', box('tkhd', words(1, 0, 0, 2)), box('tref', box('chap', words(1))))
    expect(listed(textTrak(), chapters)).toEqual([])
    expect(listed(trak('mp4s'), trak('enct'), trak('avc1'))).toEqual([])
  })

  test('no more than a hundred are listed', () => {
    expect(listed(...Array(1_000).fill(textTrak()))).toHaveLength(100)
  })
})

describe('fragments', () => {
  const fragmentTables = [box('mvex', box('trex', words(0, 1, 1, 1_000, 0, 0)))]
  const moov = box('moov', mvhd, textTrak(), ...fragmentTables)
  const run = (size: number, offset: number) => box('trun', words(0x201, 1, offset, size))
  const moofOf = (time: number, runs: Buffer[]) =>
    box('moof', box('traf', box('tfhd', words(0x020000, 1)), box('tfdt', words(0, time)), ...runs))
  /** A fragment of a second, and the media data of its other tracks. */
  const fragment = (time: number, text: string, otherBytes: number) => {
    const sample = timedText(text)
    const moof = moofOf(time, [run(sample.length, 0)])
    return Buffer.concat([
      moofOf(time, [run(sample.length, moof.length + 8)]),
      box('mdat', sample, Buffer.alloc(otherBytes)),
    ])
  }
  const parts = [fragment(1_000, 'One.', 1_000_000), fragment(3_000, 'Two.', 1_000_000)]
  const two = { start: 3, end: 4, text: 'Two.' }
  const sidx = box('sidx', words(0, 1, 1_000, 0, 0, 2, ...parts.flatMap(({ length }) => [length, 2_000, 0])))

  test('are found by the index before them', () => {
    const file = reading(Buffer.concat([ftyp, moov, sidx, ...parts]))
    expect(file.segments(1)).toEqual([one, two])
    expect(file.fetchedBytes).toBeLessThan(20_000)
  })

  test('are found if the index leaves out one', () => {
    const incomplete = box('sidx', words(0, 1, 1_000, 0, 0, 1, parts[0]?.length ?? 0, 2_000, 0))
    expect(reading(Buffer.concat([ftyp, moov, incomplete, ...parts])).segments(1)).toEqual([one, two])
  })

  test('are found by the index after them', () => {
    const starts = [ftyp.length + moov.length, ftyp.length + moov.length + (parts[0]?.length ?? 0)]
    const tfra = box(
      'tfra',
      words(0, 1, 0, 2),
      ...starts.map((start) => Buffer.concat([words(0, start), Buffer.alloc(3, 1)])),
    )
    const mfra = box('mfra', tfra, box('mfro', words(0, tfra.length + 24)))
    const file = reading(Buffer.concat([ftyp, moov, ...parts, mfra]))
    expect(file.segments(1)).toEqual([one, two])
    expect(file.fetchedBytes).toBeLessThan(20_000)
  })

  test('without an index are out of reach, unless all of the file is known', () => {
    const file = reading(Buffer.concat([ftyp, moov, ...parts]))
    expect(() => file.segments(1)).toThrow(NotRead)
    file.fetchAll()
    expect(file.segments(1)).toEqual([one, two])
  })

  test.each(['wvtt', 'stpp'])('of %s give the same captions as in DASH', (name) => {
    const folder = join(import.meta.dirname, '../tracks/dash', name)
    const files = ['init.mp4', '1.m4s', '2.m4s', '3.m4s'].map((part) => readFileSync(join(folder, part)))
    const file = reading(Buffer.concat(files))
    file.fetchAll()
    const [track] = file.tracks()
    expect(track).toMatchObject({ format: 'mp4', language: name === 'wvtt' ? 'eng' : 'deu' })
    expect(file.segments(track?.id ?? 0)).toEqual(readCaptionSegments(files))
  })

  test('whose 25 runs share 3.9 MB are refused before anything of it is fetched', () => {
    const moof = (offset: number) =>
      moofOf(
        0,
        Array.from({ length: 25 }, () => run(3_900_000, offset)),
      )
    const shared = Buffer.concat([moof(moof(0).length + 8), box('mdat', Buffer.alloc(3_900_000))])
    const index = box('sidx', words(0, 1, 1_000, 0, 0, 1, shared.length, 2_000, 0))
    const file = reading(Buffer.concat([ftyp, moov, index, shared]))
    expect(() => file.segments(1)).toThrow(/samples of more than/)
    expect(file.fetchedBytes).toBeLessThan(20_000)
  })

  test('whose index lists a million segments take few requests', () => {
    const many = box('sidx', words(0, 1, 1_000, 0, 0, 65_535), Buffer.alloc(12 * 1_000_000))
    const file = reading(Buffer.concat([ftyp, moov, many, ...parts]))
    expect(file.segments(1)).toEqual([one, two])
  })
})

describe('the index of a damaged file', () => {
  test.each<[title: string, file: Buffer]>([
    ['with a box of seven bytes', Buffer.concat([ftyp, words(7), Buffer.from('moov')])],
    ['with an empty box up to its end', Buffer.concat([ftyp, words(0), Buffer.from('free'), Buffer.alloc(50_000)])],
    [
      'with a box larger than the file',
      Buffer.concat([ftyp, words(0x7fffffff), Buffer.from('moov'), Buffer.alloc(50_000)]),
    ],
    ['with a box larger than any file', Buffer.concat([ftyp, words(1), Buffer.from('moov'), Buffer.alloc(16, 0xff)])],
    ['with a thousand boxes before the index', Buffer.concat([...Array(1_000).fill(ftyp), box('moov')])],
    ['without an index', Buffer.concat([ftyp, box('mdat', Buffer.alloc(50_000))])],
  ])('a file %s is refused', (_title, bytes) => {
    const file = reading(bytes)
    expect(() => file.tracks()).toThrow(/malformed/)
    expect(file.fetchedBytes).toBeLessThan(20_000)
  })

  test.each<[title: string, tables: Buffer[], message: RegExp]>([
    [
      'four billion samples of one size',
      [box('stsz', words(0, 4, 0xffffffff)), box('stsc', words(0, 1, 1, 0xffffffff, 1)), box('stco', words(0, 1, 0))],
      /more than 100000 samples/,
    ],
    [
      'four billion empty samples in a chunk',
      [
        box('stsz', words(0, 0, 0xffffffff), Buffer.alloc(800_000)),
        box('stsc', words(0, 1, 1, 0xffffffff, 1)),
        box('stco', words(0, 1, 0)),
      ],
      /more than 100000 samples/,
    ],
    [
      'samples that share bytes',
      tables(0).toSpliced(1, 1, box('stsz', words(0, 6_000_000, 4))),
      /more than 10000000 bytes/,
    ],
    ['samples behind the end of the file', tables(0xfffffff0), /malformed/],
    ['samples at an offset larger than any file', [...tables(0), box('co64', words(0, 1, 0xffffffff, 0))], /malformed/],
    ['compact sizes of four bits', [...tables(0), box('stz2', words(0, 4, 4, 0))], /malformed/],
  ])('%s are refused', (_title, content, message) => {
    const file = reading(movie(textTrak(...content)))
    expect(() => file.segments(1)).toThrow(message)
    expect(file.fetchedBytes).toBeLessThan(1_500_000)
  })

  test.each<[title: string, tables: Buffer[]]>([
    ['no tables', []],
    ['a table without chunks', tables(chunkAt).slice(0, 3)],
    ['a table without the number of samples in a chunk', tables(chunkAt).toSpliced(2, 1)],
    ['more chunks than samples', [...tables(0).slice(0, 3), box('stco', words(0, 0xffffffff))]],
  ])('%s: there are no captions', (_title, content) => {
    expect(reading(movie(textTrak(...content))).segments(1)).toEqual([])
  })
})
