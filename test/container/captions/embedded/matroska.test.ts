import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { CaptionsTooLarge } from '../../../../container/captions/cue.ts'
import {
  cluster,
  cuePoint,
  cues,
  element,
  endless,
  matroska,
  number,
  seekHead,
  segmentAt,
  sizeOf,
  textBlock,
  tracks,
} from '../../../doubles/origin/media-bytes.ts'
import { NotRead, reading } from './reading.ts'

const text = (words: string) => Buffer.from(words)
const one = { start: 1, end: 2, text: 'One.' }
const video = (bytes: number) => textBlock(0, Buffer.alloc(bytes), 2)

/** The first cluster's position in the Segment, and a block's in its cluster. */
const head = tracks()
const clusterAt = head.length
const timestampBytes = element(0xe7, number(0)).length

describe('blocks that the Cues list', () => {
  const blockAt = (before: number) => timestampBytes + video(before).length
  const shift = seekHead([0x1c53bb6b, 0]).length
  const seeking = (before: number, ...points: Buffer[]) => {
    const blocks = cluster(0, video(before), textBlock(1_000, text('One.')), video(2_000_000))
    const cuesAt = shift + head.length + blocks.length
    return matroska(seekHead([0x1c53bb6b, cuesAt]), head, blocks, cues(Buffer.concat(points)))
  }

  test('are read without the video around them', () => {
    const file = reading(seeking(1_000_000, cuePoint(clusterAt + shift, blockAt(1_000_000))))
    expect(file.segments(1)).toEqual([one])
    expect(file.fetchedBytes).toBeLessThan(5_000)
  })

  test('need no offset in their cluster, but then all of it is read', () => {
    const file = reading(seeking(1_000_000, cuePoint(clusterAt + shift, null)))
    expect(file.segments(1)).toEqual([one])
    expect(file.fetchedBytes).toBeGreaterThan(3_000_000)
  })

  test.each([
    ['that are not those of a cluster', cuePoint(0, 10)],
    ['behind the end of the file', cuePoint(90_000_000, 10)],
    ['that are larger than any file', cuePoint(2 ** 62, 10)],
    ['of a block behind the end of the file', cuePoint(clusterAt + shift, 90_000_000)],
  ])('Cues with positions %s are refused', (_title, point) => {
    expect(() => reading(seeking(1_000, point)).segments(1)).toThrow(/malformed/)
  })

  test('positions in the middle of blocks are refused', () => {
    const points = Array.from({ length: 2_000 }, (_, at) => cuePoint(clusterAt + shift, blockAt(1_000) + at * 7))
    expect(() => reading(seeking(1_000, ...points)).segments(1)).toThrow(/malformed/)
  })

  test('blocks of the same time are read if only the first is listed', () => {
    const blocks = [textBlock(1_000, text('One.')), textBlock(1_000, text('Two.')), video(10)]
    const first = cuePoint(clusterAt + shift, timestampBytes)
    const position = shift + head.length + cluster(0, ...blocks).length
    const file = matroska(seekHead([0x1c53bb6b, position]), head, cluster(0, ...blocks), cues(first))
    expect(reading(file).segments(1)).toEqual([{ start: 1, end: 2, text: 'One. Two.' }])
  })

  test('Cues before the clusters need no SeekHead', () => {
    const point = (position: number) => cues(cuePoint(position, timestampBytes))
    const position = head.length + point(0).length
    expect(reading(matroska(head, point(position), cluster(0, textBlock(1_000, text('One.'))))).segments(1)).toEqual([
      one,
    ])
  })

  test('more cues than in any film are refused', () => {
    const file = reading(seeking(10, Buffer.concat(Array(300_001).fill(cuePoint(0, 0)))))
    file.fetchAll()
    expect(() => file.segments(1)).toThrow(/too many elements/)
  })
})

describe('a file without Cues', () => {
  test('is out of reach, unless all of it is known', () => {
    const file = reading(matroska(head, cluster(0, video(50_000), textBlock(1_000, text('One.')))))
    expect(() => file.segments(1)).toThrow(NotRead)
    file.fetchAll()
    expect(file.segments(1)).toEqual([one])
  })

  test('may have a Segment and clusters of unknown size', () => {
    const clusters = [0, 5_000].map((time) =>
      endless(0x1f43b675, element(0xe7, number(time)), textBlock(1_000, text('One.')), video(10)),
    )
    const file = reading(
      Buffer.concat([matroska().subarray(0, segmentAt - 12), endless(0x18538067, head, ...clusters)]),
    )
    expect(file.segments(1)).toEqual([one, { start: 6, end: 7, text: 'One.' }])
  })

  test('blocks without a duration are left out', () => {
    const simple = element(0xa3, Buffer.from([0x81, 0, 0, 0]), text('One.'))
    expect(reading(matroska(head, cluster(0, simple))).segments(1)).toEqual([])
  })
})

describe('tracks', () => {
  const track = (...fields: Buffer[]) => reading(matroska(tracks(...fields), cluster(0))).tracks()[0]

  test('are English, shown by default and not forced, if nothing else is stated', () => {
    expect(track()).toEqual({ id: 1, language: 'eng', isDefault: true, isForced: false, format: 'plain' })
  })

  test('state their language and purpose', () => {
    const fields = [element(0x22b59c, text('ger')), element(0x88, number(0)), element(0x55aa, number(1))]
    expect(track(...fields)).toMatchObject({ language: 'ger', isDefault: false, isForced: true })
    expect(track(...fields, element(0x22b59d, text('de-AT')))).toMatchObject({ language: 'de-AT' })
  })

  const compressed = (algorithm: number, ...settings: Buffer[]) =>
    element(0x6d80, element(0x6240, element(0x5034, element(0x4254, number(algorithm)), ...settings)))

  test.each([
    ['zlib', compressed(0), deflateSync(text('One.'))],
    ['a stripped header', compressed(3, element(0x4255, text('On'))), text('e.')],
  ])('compressed with %s are read', (_title, encoding, data) => {
    expect(reading(matroska(tracks(encoding), cluster(0, textBlock(1_000, data)))).segments(1)).toEqual([one])
  })

  test('a block that expands to more than the limit is refused', () => {
    const bomb = deflateSync(Buffer.alloc(50_000_000))
    const file = reading(matroska(tracks(compressed(0)), cluster(0, textBlock(1_000, bomb))))
    file.fetchAll()
    expect(() => file.segments(1)).toThrow(/malformed compressed block/)
  })

  test('blocks that expand to more than the limit together are refused', () => {
    const block = textBlock(1_000, deflateSync(Buffer.alloc(9_000_000)))
    const file = reading(matroska(tracks(compressed(0)), cluster(0, block, block)))
    file.fetchAll()
    expect(() => file.segments(1)).toThrow(CaptionsTooLarge)
  })

  test.each([
    ['with another compression', tracks(compressed(2))],
    ['that are encrypted', tracks(element(0x6d80, element(0x6240, element(0x5033, number(1)))))],
    ['of images', element(0x1654ae6b, element(0xae, element(0x83, number(0x11)), element(0x86, text('S_HDMV/PGS'))))],
  ])('%s are not listed', (_title, head) => {
    expect(reading(matroska(head, cluster(0))).tracks()).toEqual([])
  })

  test('no more than a hundred are listed', () => {
    const [, ...entry] = [tracks().subarray(0, 12), tracks().subarray(12)]
    const file = reading(matroska(element(0x1654ae6b, ...Array(1_000).fill(Buffer.concat(entry))), cluster(0)))
    expect(file.tracks()).toHaveLength(100)
  })
})

describe('the index of a damaged file', () => {
  test('SeekHeads that list themselves and each other are followed once', () => {
    const size = seekHead([0x114d9b74, 0], [0x114d9b74, 0]).length
    const both = seekHead([0x114d9b74, 0], [0x114d9b74, size])
    expect(reading(matroska(both, both, head, cluster(0, textBlock(1_000, text('One.'))))).segments(1)).toEqual([one])
  })

  test('a long chain of SeekHeads is not followed to its end', () => {
    const size = seekHead([0x114d9b74, 0]).length
    const gap = element(0xec, Buffer.alloc(5_000))
    const chain = Array.from({ length: 50 }, (_, at) => [
      seekHead([0x114d9b74, (at + 1) * (size + gap.length)]),
      gap,
    ]).flat()
    const file = reading(matroska(...chain.slice(0, 2), cluster(0, video(10)), ...chain))
    expect(() => file.tracks()).toThrow(/malformed/)
    expect(file.fetchedBytes).toBeLessThan(20_000)
  })

  test.each<[title: string, file: Buffer]>([
    ['without a Segment', Buffer.from('1a45dfa380', 'hex')],
    ['with an empty Segment', matroska()],
    ['whose Tracks are larger than the file', matroska(Buffer.from('1654ae6b', 'hex'), sizeOf(2 ** 40))],
    ['whose Tracks are larger than any file', matroska(Buffer.from('1654ae6b01fffffffffffffe', 'hex'))],
    ['whose Tracks are of unknown size', matroska(endless(0x1654ae6b))],
    ['of zeros', Buffer.concat([matroska().subarray(0, segmentAt), Buffer.alloc(100_000)])],
    ['with a thousand elements before the Tracks', matroska(...Array(1_000).fill(element(0xec)), head)],
  ])('a file %s is refused', (_title, file) => {
    const read = reading(file)
    expect(() => read.tracks()).toThrow(/malformed/)
    expect(read.fetchedBytes).toBeLessThan(20_000)
  })

  test('a number of more than eight bytes is refused', () => {
    expect(() => reading(matroska(tracks(element(0x88, Buffer.alloc(9))), cluster(0))).tracks()).toThrow(/malformed/)
  })
})
