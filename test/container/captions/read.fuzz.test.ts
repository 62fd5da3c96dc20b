import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { maxCueCharacters, maxCues } from '../../../container/captions/cue.ts'
import { type CaptionFiles, readTranscript } from '../../../container/captions/read.ts'
import type { TranscriptBody } from '../../../domain/jobs/job-status.ts'
import {
  type Budget,
  countGrowsLinearly,
  growsLinearly,
  mutationsOf,
  once,
  type Part,
  partsOf,
  repeated,
  runs,
  textOf,
  within,
} from '../../fuzz/hostile-input.ts'

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)
const oneFile = (file: Uint8Array): CaptionFiles[] => [{ files: [file], isOneFile: true, shiftSeconds: 0 }]

/** Reads a track as the reader process does, and checks what every transcript promises. */
const read = (parts: CaptionFiles[]): void => {
  const { body, segments, endSeconds } = readTranscript(parts)
  const transcript = JSON.parse(new TextDecoder().decode(body)) as TranscriptBody
  if (segments > maxCues || transcript.segments.length !== segments) throw new Error(`${segments} segments`)
  let clock = 0
  for (const { start, end, text } of transcript.segments) {
    if (!(start >= clock && end > start)) throw new Error(`a segment from ${start} to ${end} after ${clock}`)
    if (text === '' || text.length > maxCueCharacters) throw new Error(`a segment of ${text.length} characters`)
    clock = end
  }
  if (endSeconds !== clock) throw new Error(`ends at ${endSeconds}`)
}

interface Format {
  fragments: string[]
  /** Parts that two loops would read once for each other. */
  suspects: Record<string, Part[]>
}

const times = ['00:01.000 --> 00:02.000', '00:00:01,000 --> 00:00:02,500', '#n:00.000 --> #n:01.000', '0:0 --> 9:9']
const markup = [
  '<b>',
  '</b>',
  '<v Ann>',
  '<v.x Bob>',
  '<c.y>',
  '<00:01.500>',
  '<',
  '&amp;',
  '&',
  '&#x',
  '{\\an8}',
  '{\\',
]
const vttCue = '00:01.000 --> 00:09.000\n'

const formats: Record<string, Format> = {
  WebVTT: {
    fragments: [
      'WEBVTT',
      '\n',
      '\n\n',
      'NOTE x',
      'STYLE',
      'X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000',
      'word ',
      'x#n',
      ...times,
      ...markup,
    ],
    suspects: {
      'cues that all start at zero': [once('WEBVTT\n\n'), repeated('00:00.000 --> 00:01.000\nx#n\n\n')],
      'cues that all start at zero, by one voice each': [
        once('WEBVTT\n\n'),
        repeated('00:00.000 --> 00:01.000\n<v a#n>x#n\n\n'),
      ],
      'cues that overlap each other': [once('WEBVTT\n\n'), repeated('#n:00.000 --> 99999:00.000\nx#n\n\n')],
      'the same cue': [once('WEBVTT\n\n'), repeated('00:00.000 --> 00:01.000\nx\n\n')],
      'cues that roll': [once('WEBVTT\n\n'), repeated('#n:00.000 --> #n:59.990\na\na\na\na\na\na\na\na\na\nb\n\n')],
      'cues of eight hundred lines that roll': [
        once('WEBVTT\n\n'),
        repeated(`#n:00.000 --> #n:59.990\n${'a\n'.repeat(800)}\n`),
      ],
      'a cue of many lines': [once(`WEBVTT\n\n${vttCue}`), repeated('x\n')],
      'a cue of many tags': [once(`WEBVTT\n\n${vttCue}`), repeated('<v a#n>x</v>')],
      'a cue of brackets': [once(`WEBVTT\n\n${vttCue}`), repeated('<')],
      'a cue of voices that are never closed': [once(`WEBVTT\n\n${vttCue}`), repeated('<v ')],
      'a cue of white space': [once(`WEBVTT\n\n${vttCue}a`), repeated(' '), once('b')],
      'a cue of ampersands': [once(`WEBVTT\n\n${vttCue}`), repeated('&')],
      'notes that never end': [once('WEBVTT\n\nNOTE'), repeated('\nNOTE')],
      'empty lines': [once('WEBVTT'), repeated('\n')],
      'carriage returns': [once('WEBVTT'), repeated('\r')],
      'timing lines without text': [once('WEBVTT\n\n'), repeated(vttCue)],
      'a time of many digits': [once('WEBVTT\n\n'), repeated('1'), once(':00 --> 1:00\nx')],
    },
  },
  SubRip: {
    fragments: ['1\n', '\n', '\n\n', '#n\n', 'word ', ...times, ...markup, '--> ', '-1'],
    suspects: {
      'numbers as text': [once('1\n00:00:01,000 --> 00:00:02,000\n'), repeated('1\n')],
      'cues without an empty line between them': [repeated('#n\n0:#n:01,000 --> 0:#n:02,000\nx#n\n')],
      'arrows in text': [once('1\n00:00:01,000 --> 00:00:02,000\n'), repeated('1-->\n')],
    },
  },
  json3: {
    fragments: [
      '{"events":[',
      '{"tStartMs":#n,"dDurationMs":10,"segs":[{"utf8":"x#n"}]},',
      '{}',
      ']}',
      '[',
      '{',
      'null,',
      '"',
      '\\u0000',
      '\\ud800',
      '"aAppend":1,',
      ',',
    ],
    suspects: {
      'events at the same time': [
        once('{"events":['),
        repeated('{"tStartMs":0,"dDurationMs":10,"segs":[{"utf8":"x#n"}]},'),
        once('{}]}'),
      ],
      'parts of one event': [
        once('{"events":[{"tStartMs":0,"dDurationMs":10,"segs":['),
        repeated('{"utf8":"x "},'),
        once('{}]}]}'),
      ],
      'arrays in arrays': [once('{"events":'), repeated('[')],
      'names in one object': [once('{"events":[{'), repeated('"a#n":1,'), once('"a":1}]}')],
    },
  },
  TTML: {
    fragments: [
      '<tt>',
      '<tt xmlns:ttp="x" ttp:frameRate="0" ttp:tickRate="0">',
      '<body begin="1s">',
      '<div>',
      '<p begin="#ns" end="9999s">',
      '<p t="#n" d="5">',
      '<text start="1" dur="2">',
      '<span begin="1s">',
      '</span>',
      '</text>',
      '</p>',
      '</div>',
      '</body>',
      '</tt>',
      '<br/>',
      '<metadata>',
      '</metadata>',
      '&amp;#39;',
      '&a;',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?xml version="1.0"?>',
      '<!DOCTYPE tt [',
      ']>',
      'word ',
      ' a#n="1"',
      '"',
    ],
    suspects: {
      'paragraphs at the same time': [once('<tt>'), repeated('<p begin="1s" end="2s">x#n</p>'), once('</tt>')],
      'elements in elements': [once('<tt>'), repeated('<p>'), repeated('</p>'), once('</tt>')],
      'spans in one paragraph': [
        once('<tt><p begin="1s" end="2s">'),
        repeated('<span>x<br/></span>'),
        once('</p></tt>'),
      ],
      'attributes of one element': [once('<tt'), repeated(' a#n="x"'), once('/>')],
      'one attribute, repeated': [once('<tt'), repeated(' a="x"'), once('/>')],
      'undefined entities': [once('<tt>'), repeated('&a#n;'), once('</tt>')],
      'character references': [once('<tt><p begin="1s" end="2s">'), repeated('&#38;'), once('</p></tt>')],
      'entities of two levels': [once('<tt><p begin="1s" end="2s">'), repeated('&amp;amp;'), once('</p></tt>')],
      'an entity without end': [once('<tt>&'), repeated('a'), once('</tt>')],
      comments: [once('<tt>'), repeated('<!---->'), once('</tt>')],
      'sections of character data': [once('<tt><p begin="1s" end="2s">'), repeated('<![CDATA[x]]>'), once('</p></tt>')],
      'brackets in character data': [once('<tt><![CDATA['), repeated(']]'), once(']]></tt>')],
      'processing instructions': [once('<tt>'), repeated('<?a?>'), once('</tt>')],
      'a document type': [once('<!DOCTYPE tt ['), repeated('<!ENTITY a#n "x">'), once(']><tt/>')],
      'one long name': [once('<'), repeated('a'), once('/>')],
      'one long attribute': [once('<tt a="'), repeated('&lt;'), once('"/>')],
      lines: [once('<tt>'), repeated('\n'), once('</tt>')],
    },
  },
}

/** Measured: at most 58 operations for each byte. */
const budget: Budget = { each: 100, fixed: 2_000 }

describe.each(Object.entries(formats))('hostile %s', (_, { fragments, suspects }) => {
  test.each(Object.entries(suspects))('%s: twice as many take twice as long', (_title, parts) => {
    growsLinearly(parts, (text) => read(oneFile(encoded(text))))
  })

  test('any text is read or refused within the budget', () => {
    fc.assert(
      fc.property(textOf(fragments), (text) => {
        const bytes = encoded(text)
        within(budget, bytes.length, () => read(oneFile(bytes)))
      }),
      runs(100),
    )
  })

  test('any text in segments is read or refused within the budget', () => {
    fc.assert(
      fc.property(fc.array(textOf(fragments), { maxLength: 5 }), fc.double(), (texts, shiftSeconds) => {
        const files = texts.map(encoded)
        const size = files.reduce((sum, { length }) => sum + length, 0)
        within(budget, size, () => read([{ files, isOneFile: false, shiftSeconds }]))
      }),
      runs(40),
    )
  })

  test('any text of parts that repeat takes linear time', () => {
    fc.assert(
      fc.property(partsOf(fragments), (parts) => growsLinearly(parts, (text) => read(oneFile(encoded(text))))),
      runs(20),
    )
  })
})

describe('hostile MP4 fragments', () => {
  const box = (type: string, ...content: Uint8Array[]): Uint8Array => {
    const body = Buffer.concat(content)
    const head = Buffer.alloc(8)
    head.writeUInt32BE(body.length + 8)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, body])
  }
  const words = (...numbers: number[]): Uint8Array => {
    const bytes = Buffer.alloc(numbers.length * 4)
    for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number >>> 0, index * 4)
    return bytes
  }
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
    countGrowsLinearly(fileOf, items, (file) => read(oneFile(file)))
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
        within(budget, file.length, () => read(oneFile(file)))
      }),
      runs(200),
    )
  })

  test('any change of valid fragments is read or refused within the budget', () => {
    const tracks = ['wvtt', 'stpp'].map((track) =>
      Buffer.concat(
        ['init.mp4', '1.m4s', '2.m4s', '3.m4s'].map((name) =>
          readFileSync(join(import.meta.dirname, 'tracks/dash', track, name)),
        ),
      ),
    )
    fc.assert(
      fc.property(mutationsOf(tracks), (bytes) => {
        within(budget, bytes.length, () => read(oneFile(bytes)))
      }),
      runs(150),
    )
  })
})
