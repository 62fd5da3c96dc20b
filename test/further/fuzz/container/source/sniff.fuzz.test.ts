import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boxAt, boxesIn } from '../../../../../container/source/index/mp4/boxes.ts'
import { sniff } from '../../../../../container/source/sniff.ts'
import { runs } from '../../../../support/runs.ts'
import {
  type Budget,
  growsLinearly,
  mutationsOf,
  once,
  type Part,
  partsOf,
  repeated,
  samplesOf,
  textOf,
  within,
} from '../../hostile-input.ts'

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** What is read of the first bytes of every file. */
const read: Record<string, (bytes: Uint8Array) => unknown> = {
  'the kind of a file': sniff,
  'the boxes of a file': (bytes) => {
    let end = 0
    for (const { at, content } of boxesIn(bytes)) {
      if (at < end || at + content.length > bytes.length) throw new Error(`a box at ${at} after ${end}`)
      end = at + content.length
    }
  },
  'the box at a path': (bytes) => boxAt(bytes, 'moov/trak/mdia/mdhd'),
}

const fragments = [
  ...['<', '>', '<!--', '-->', '<?', '?>', '<?xml version="1.0"?>', '<!DOCTYPE ', 'html', '<html', 'MPD', '<rss'],
  ...['<a:', ':MPD', '#EXTM3U', '\n', '\0\0\0\x08', '\0\0\0\x10', '\0\0\0\0', '\0\0\0\x01', '\xff\xff\xff\xff'],
  ...['\0\0\0\0\0\0\0\x10', 'ftyp', 'moov', 'trak', 'mdia', 'mdhd', 'mdat', 'ID3\x04\0\0', '\0\0\0\x0a'],
  ...['\x7f\x7f\x7f\x7f', '\xff\xf1', '\xff\xfb\x90', 'G', 'RIFF', 'WAVE', 'fLaC', '\x1a\x45\xdf\xa3', 'webm'],
  ...['\xff\xfe', '\xef\xbb\xbf', ' ', 'isom', 'qt  '],
]

const suspects: Record<string, Part[]> = {
  'comments that are never closed': [repeated('<!--')],
  'processing instructions that are never closed': [repeated('<?')],
  comments: [repeated('<!---->')],
  'processing instructions': [repeated('<?a?>')],
  'processing instructions in comments': [repeated('<!--<?'), repeated('?>-->')],
  brackets: [repeated('<')],
  'one long name': [once('<'), repeated('a')],
  'one long name with colons': [once('<'), repeated('a:')],
  spaces: [repeated(' '), once('<html>')],
  'spaces after a bracket': [once('<!doctype'), repeated(' '), once('html>')],
  'UTF-16': [once('\xff\xfe'), repeated('<\0!\0-\0-\0')],
  'empty boxes': [repeated('\0\0\0\x08free')],
  'tracks without a header': [once('\x7f\xff\xff\xffmoov'), repeated('\0\0\0\x10trak\0\0\0\x08mdia')],
  'film boxes without a track': [repeated('\0\0\0\x08moov')],
  'sync words of audio': [repeated('\xff\xfb\x90\0')],
  zeros: [repeated('\0')],
}

/** Measured: at most 14 operations for each byte, and 400 for the shortest file. */
const budget: Budget = { each: 40, fixed: 1_000 }

describe.each(Object.entries(read))('%s', (_, readBytes) => {
  test.each(Object.entries(suspects))('%s: twice as many take twice as long', (_title, parts) => {
    growsLinearly(parts, (text) => readBytes(bytesOf(text)))
  })

  test('any text of fragments is read within the budget', () => {
    fc.assert(
      fc.property(textOf(fragments), (text) => {
        const bytes = bytesOf(text)
        within(budget, bytes.length, () => readBytes(bytes))
      }),
      runs(75),
    )
  })

  test('any change of valid bytes is read within the budget', () => {
    fc.assert(
      fc.property(mutationsOf(samplesOf(suspects, bytesOf)), (bytes) => {
        within(budget, bytes.length, () => readBytes(bytes))
      }),
      runs(50),
    )
  })

  test('any bytes of parts that repeat take linear time', () => {
    fc.assert(
      fc.property(partsOf(fragments), (parts) => growsLinearly(parts, (text) => readBytes(bytesOf(text)))),
      runs(10),
    )
  })
})

test('any bytes have a kind', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(within(budget, bytes.length, () => sniff(bytes))).toBeTypeOf('string')
    }),
    runs(150),
  )
})
