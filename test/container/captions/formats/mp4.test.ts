import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CaptionsTooLarge } from '../../../../container/captions/cue.ts'
import { samplesOf } from '../../../../container/captions/formats/mp4.ts'
import { readCaptionSegments, readCaptions } from '../../../../container/captions/read.ts'
import { box, words } from '../../../doubles/origin/media-bytes.ts'

/** Made by Shaka Packager, see tracks/README.md. */
const packaged = (track: 'wvtt' | 'stpp'): Buffer[] =>
  ['init.mp4', '1.m4s', '2.m4s', '3.m4s'].map((name) =>
    readFileSync(join(import.meta.dirname, '../tracks/dash', track, name)),
  )

/** A fragment: default duration and size of its samples, their declared count, and their data. */
const fragment = (duration: number, size: number, count: number, ...data: Uint8Array[]): Buffer => {
  const moof = (offset: number) =>
    box(
      'moof',
      box(
        'traf',
        box('tfhd', words(0x000018, 1, duration, size)),
        box('tfdt', words(0, 0)),
        box('trun', words(0x000001, count, offset)),
      ),
    )
  return Buffer.concat([moof(moof(0).length + 8), box('mdat', ...data)])
}
const cueBox = (text: string) => box('vttc', box('payl', Buffer.from(text)))

describe('a text track in MP4 fragments', () => {
  test.each([
    ['wvtt', ['A tone & nothing else.', 'Still a tone, on two lines.']],
    ['stpp', ['Ein Ton & sonst nichts.', 'Immer noch ein Ton.']],
  ] as const)('%s gives the same captions in segments and as one file', (track, texts) => {
    const files = packaged(track)
    const segments = readCaptionSegments(files)
    expect(segments.map(({ text }) => text)).toEqual(texts)
    expect(segments.map(({ start, end }) => [start, end])).toEqual([
      [0.5, 2],
      [2.5, 5],
    ])
    expect(readCaptions(Buffer.concat(files))).toEqual(segments)
  })

  test('simultaneous cues are one segment, and a cue repeated in the next sample is merged', () => {
    const two = Buffer.concat([cueBox('One.'), cueBox('Two.')])
    const file = fragment(1_000, two.length, 2, two, two)
    expect(readCaptions(file)).toEqual([{ start: 0, end: 2, text: 'One. Two.' }])
  })

  test.each([
    ['four billion empty samples', fragment(1_000, 0, 0xffffffff)],
    ['more samples than bytes', fragment(1_000, 4_096, 0xffffffff, cueBox('One.'))],
    ['a box larger than its file', Buffer.concat([box('ftyp'), words(0xffffffff), Buffer.from('moof')])],
    ['a box of size 0 at the end', Buffer.concat([box('ftyp'), words(0), Buffer.from('moof')])],
    ['a fragment without a track', box('moof', box('traf'))],
  ])('%s: no captions, and at most one sample is read', (_title, file) => {
    expect(readCaptions(file)).toEqual([])
    const samples = samplesOf([file])
    samples.next()
    expect(samples.next().done).toBe(true)
  })

  test('more than a million samples are refused', () => {
    const emptySample = box('vtte')
    const data = Buffer.alloc(1_000_001 * emptySample.length, emptySample)
    expect(() => readCaptions(fragment(1, emptySample.length, 1_000_001, data))).toThrow(CaptionsTooLarge)
  })

  test('samples that share their bytes are refused as soon as they have more bytes than the file', () => {
    const run = box('trun', words(0x000201, 2, 0, 200, 200))
    const header = box('tfhd', words(0x000008, 1, 1_000))
    const file = (...runs: Buffer[]) => Buffer.concat([box('moof', box('traf', header, ...runs)), Buffer.alloc(400)])
    expect(readCaptions(file(run))).toEqual([])
    expect(() => readCaptions(file(run, run))).toThrow(CaptionsTooLarge)
  })

  test('a count of sixteen million in a box with room for two is read as two', () => {
    const damaged = Buffer.concat(packaged('wvtt')).subarray(0, 1_278)
    damaged[1_168] = 1
    expect(readCaptions(damaged)).toMatchObject([
      { start: 0.5, end: 2, text: 'A tone & nothing else.' },
      { start: 2.5, end: 4, text: 'Still a tone, on two lines.' },
    ])
  })
})
