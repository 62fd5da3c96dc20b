import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { captionBudget, encoded, oneFile, readTrack } from '../../../../../container/captions/hostile-track.ts'
import { box, words } from '../../../../../doubles/origin/media-bytes.ts'
import { runs } from '../../../../../support/runs.ts'
import { countGrowsLinearly, mutationsOf, within } from '../../../hostile-input.ts'

describe('hostile MP4 fragments', () => {
  const times = (count: number, one: Uint8Array): Uint8Array => Buffer.concat(Array.from({ length: count }, () => one))
  const cue = (text: string) => box('vttc', box('payl', encoded(text)))
  /** A fragment whose runs all point at its first bytes. */
  const fragment = (runs: Uint8Array): Uint8Array => box('moof', box('traf', box('tfhd', words(0x08, 1, 1_000)), runs))
  const run = (samples: number, sampleBytes: number): Uint8Array =>
    box('trun', words(0x201, samples, 0, ...Array<number>(samples).fill(sampleBytes)))

  test.each<[title: string, items: number, fileOf: (count: number) => Uint8Array]>([
    ['runs that point at the same bytes', 500, (count) => fragment(times(count, run(1, 1_000)))],
    [
      'samples of one run that point at the same cue',
      1_000,
      (count) => Buffer.concat([fragment(run(count, 20)), times(count, cue('x'))]),
    ],
    ['empty samples', 2_000, (count) => fragment(run(count, 0))],
    [
      'tracks of one fragment',
      500,
      (count) => box('moof', times(count, box('traf', box('tfhd', words(0x08, 1, 1)), run(1, 20)))),
    ],
    ['fragments', 300, (count) => times(count, fragment(run(1, 8)))],
    [
      'initialization sections',
      1_000,
      (count) => times(count, box('moov', box('trak', box('mdia', box('mdhd', words(0, 0, 0, 1)))))),
    ],
    [
      'tracks without a header',
      1_000,
      (count) => Buffer.concat([box('ftyp'), box('moov', times(count, box('trak', box('mdia'))))]),
    ],
    ['empty boxes', 2_000, (count) => Buffer.concat([box('ftyp'), times(count, box('free'))])],
    [
      'boxes in boxes',
      300,
      (count) => Array.from({ length: count }).reduce((inner: Uint8Array) => box('moof', inner), words()),
    ],
    ['cues of one sample', 500, (count) => Buffer.concat([fragment(run(1, 150 + 20 * count)), times(count, cue('x'))])],
    [
      'settings of one cue',
      1_000,
      (count) => Buffer.concat([fragment(run(1, 100 + 8 * count)), box('vttc', times(count, box('sttg')))]),
    ],
  ])('%s: twice as many take twice as long', (_title, items, fileOf) => {
    countGrowsLinearly(fileOf, items, (file) => readTrack(oneFile(file)))
  })

  test('any boxes with any numbers are read or refused within the budget', () => {
    const number = fc.oneof(fc.nat(40), fc.nat(0xffffffff), fc.constantFrom(0, 1, 8, 0x7fffffff, 0xffffffff))
    const types = fc.constantFrom(
      ...['moov', 'trak', 'mdia', 'mdhd', 'mvex', 'trex', 'moof', 'traf', 'tfhd', 'tfdt', 'trun', 'mdat'],
      ...['vttc', 'payl', 'vtte', 'vtta', 'ftyp', 'free'],
    )
    const { boxes } = fc.letrec<{ boxes: Uint8Array[]; box: Uint8Array }>((tie) => ({
      boxes: fc.array(tie('box'), { maxLength: 6 }),
      box: fc.oneof(
        { maxDepth: 5 },
        fc.tuple(types, fc.array(number, { maxLength: 12 })).map(([type, numbers]) => box(type, words(...numbers))),
        fc.constant(cue('<v Ann>x')),
        fc.tuple(fc.nat(30), fc.nat(60)).map(([samples, bytes]) => run(samples, bytes)),
        fc.tuple(types, tie('boxes')).map(([type, inner]) => box(type, ...inner)),
      ),
    }))
    fc.assert(
      fc.property(boxes, (some) => {
        const file = Buffer.concat([box('styp'), ...some])
        within(captionBudget, file.length, () => readTrack(oneFile(file)))
      }),
      runs(100),
    )
  })

  test('any change of valid fragments is read or refused within the budget', () => {
    const tracks = ['wvtt', 'stpp'].map((track) =>
      Buffer.concat(
        ['init.mp4', '1.m4s', '2.m4s', '3.m4s'].map((name) =>
          readFileSync(join(import.meta.dirname, '../../../../../container/captions/tracks/dash', track, name)),
        ),
      ),
    )
    fc.assert(
      fc.property(mutationsOf(tracks), (bytes) => {
        within(captionBudget, bytes.length, () => readTrack(oneFile(bytes)))
      }),
      runs(75),
    )
  })
})
