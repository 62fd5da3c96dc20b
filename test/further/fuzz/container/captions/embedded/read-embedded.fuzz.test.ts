import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reading } from '../../../../../container/captions/embedded/reading.ts'
import {
  box,
  cluster,
  cuePoint,
  cues,
  element,
  matroska,
  number,
  seekHead,
  textBlock,
  textTrak,
  timedText,
  tracks,
  words,
} from '../../../../../doubles/origin/media-bytes.ts'
import { runs } from '../../../../../support/runs.ts'
import { type Budget, countGrowsLinearly, mutationsOf, within } from '../../../hostile-input.ts'

/** All tracks of a file of which every byte is known, and what every transcript promises. */
const readAll = (bytes: Uint8Array) => {
  const file = reading(Buffer.from(bytes))
  file.fetchAll()
  for (const { id } of file.tracks()) {
    let clock = 0
    for (const { start, end } of file.segments(id)) {
      expect(start).toBeGreaterThanOrEqual(clock)
      expect(end).toBeGreaterThan(start)
      clock = end
    }
  }
}

const concat = (count: number, part: (index: number) => Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => part(index)))
const times = (count: number, part: Uint8Array): Buffer => concat(count, () => part)
const counted = (count: number, part: Uint8Array): Buffer => Buffer.concat([words(0, count), times(count, part)])

const ftyp = box('ftyp', Buffer.from('isom'))
const text = timedText('One line.')
const movie = (...content: Uint8Array[]) => Buffer.concat([ftyp, box('mdat', text), box('moov', ...content)])
const textAt = ftyp.length + 8

/** A movie of samples that are all the same bytes. */
const samples = (count: number, perChunk: number) => {
  const sizes = [words(0, 0, count), times(count, words(text.length))]
  const chunks = [box('stsc', words(0, 1, 1, perChunk, 1)), box('stco', counted(count / perChunk, words(textAt)))]
  return movie(textTrak(box('stts', counted(count, words(1, 1_000))), box('stsz', ...sizes), ...chunks))
}

const fragmentedMoov = box('moov', textTrak(), box('mvex', box('trex', words(0, 1, 1, 1_000, 0, 0))))
const fragment = (time: number, runCount: number) => {
  const moof = (offset: number) => {
    const runs = times(runCount, box('trun', words(0x201, 1, offset, text.length)))
    return box('moof', box('traf', box('tfhd', words(0x020000, 1)), box('tfdt', words(0, time)), runs))
  }
  return Buffer.concat([moof(moof(0).length + 8), box('mdat', text)])
}
const fragments = (count: number, runCount = 1) =>
  Buffer.concat([ftyp, fragmentedMoov, concat(count, (index) => fragment(index * 1_000, runCount))])
const indexed = (count: number) => {
  const size = fragment(0, 1).length
  const references = times(count, words(size, 1_000, 0))
  const index = box('sidx', words(0, 1, 1_000, 0, 0, count), references)
  return Buffer.concat([ftyp, fragmentedMoov, index, concat(count, (at) => fragment(at * 1_000, 1))])
}

const block = (time: number) => textBlock(time, Buffer.from('One line.'))
const timestamp = element(0xe7, number(0))
const head = tracks()
/** Blocks in one cluster, with a cue for each. */
const cued = (count: number, offsetOf: (index: number) => number) => {
  const all = cues(concat(count, (index) => cuePoint(0, offsetOf(index))))
  const position = head.length + all.length
  const points = cues(concat(count, (index) => cuePoint(position, offsetOf(index))))
  return matroska(head, points, cluster(0, concat(count, block)))
}
const blockBytes = block(0).length

const files = [
  samples(4, 2),
  fragments(3),
  indexed(3),
  matroska(head, cluster(0, concat(3, block))),
  cued(3, (index) => timestamp.length + index * blockBytes),
]

/** Several times what was needed when the limit was set. */
const budget: Budget = { each: 40, fixed: 20_000 }

test('damaged files are read or refused, with a number of operations that grows with their size', () => {
  fc.assert(
    fc.property(mutationsOf(files), (bytes) => {
      within(budget, bytes.length, () => readAll(bytes))
    }),
    runs(250),
  )
})

const list = <T>(count: number, part: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => part(at))
const inClusters = (...clusters: Uint8Array[]) => matroska(head, ...clusters)
const sought = (entries: [number, number][], ...rest: Uint8Array[]) => matroska(seekHead(...entries), head, ...rest)

describe('twice as much of a hostile file takes at most about twice as many operations', () => {
  test.each<[title: string, fileOf: (count: number) => Uint8Array]>([
    ['samples in one chunk', (count) => samples(count, count)],
    ['a chunk for each sample', (count) => samples(count, 1)],
    ['boxes in the index', (count) => movie(times(count, box('trak')), textTrak())],
    ['boxes in a track', (count) => movie(box('trak', times(count, box('mdia', box('minf')))))],
    [
      'edits without a length',
      (count) => movie(textTrak(), box('trak', box('edts', box('elst', counted(count, words(0, 0xffffffff, 0)))))),
    ],
    ['fragments', (count) => fragments(count)],
    ['fragments that an index lists', indexed],
    ['runs that share their bytes', (count) => fragments(1, count)],
    ['blocks without cues', (count) => inClusters(cluster(0, ...list(count, (index) => block(index * 10))))],
    ['blocks at the same time', (count) => inClusters(cluster(0, times(count, block(0))))],
    ['clusters', (count) => inClusters(...list(count, (index) => cluster(index * 1_000, block(0))))],
    ['cues of one block', (count) => cued(count, () => timestamp.length)],
    ['cues of each block', (count) => cued(count, (index) => timestamp.length + index * blockBytes)],
    [
      'cues of the last block first',
      (count) => cued(count, (index) => timestamp.length + (count - 1 - index) * blockBytes),
    ],
    [
      'offsets in a SeekHead',
      (count) =>
        sought(
          list(count, (index) => [index + 1, index]),
          cluster(0, block(0)),
        ),
    ],
    ['SeekHeads in a SeekHead', (count) => sought(list(count, (index) => [0x114d9b74, index]))],
    ['tracks', (count) => matroska(element(0x1654ae6b, times(count, tracks().subarray(12))), cluster(0))],
  ])('%s', (_title, fileOf) => {
    countGrowsLinearly(fileOf, 1_000, readAll)
  })
})
