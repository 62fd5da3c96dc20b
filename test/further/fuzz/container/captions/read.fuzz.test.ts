import fc from 'fast-check'
import { describe, test } from 'vitest'
import { captionBudget, encoded, oneFile, readTrack } from '../../../../container/captions/hostile-track.ts'
import { runs } from '../../../../support/runs.ts'
import { growsLinearly, once, type Part, partsOf, repeated, textOf, within } from '../../hostile-input.ts'

interface Format {
  fragments: string[]
  /** Parts that two loops would read once for each other. */
  suspects: Record<string, Part[]>
}

const times = ['00:01.000 --> 00:02.000', '00:00:01,000 --> 00:00:02,500', '#n:00.000 --> #n:01.000', '0:0 --> 9:9']
const markup = [
  ...['<b>', '</b>', '<v Ann>', '<v.x Bob>', '<c.y>', '<00:01.500>', '<', '&amp;', '&', '&#x', '{\\an8}', '{\\'],
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
      ...['{"events":[', '{"tStartMs":#n,"dDurationMs":10,"segs":[{"utf8":"x#n"}]},', '{}', ']}', '[', '{', 'null,'],
      ...['"', '\\u0000', '\\ud800', '"aAppend":1,', ','],
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
      ...['<tt>', '<tt xmlns:ttp="x" ttp:frameRate="0" ttp:tickRate="0">', '<body begin="1s">', '<div>'],
      ...['<p begin="#ns" end="9999s">', '<p t="#n" d="5">', '<text start="1" dur="2">', '<span begin="1s">'],
      ...['</span>', '</text>', '</p>', '</div>', '</body>', '</tt>', '<br/>', '<metadata>', '</metadata>'],
      ...['&amp;#39;', '&a;', '<!--', '-->', '<![CDATA[', ']]>', '<?xml version="1.0"?>', '<!DOCTYPE tt [', ']>'],
      ...['word ', ' a#n="1"', '"'],
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

describe.each(Object.entries(formats))('hostile %s', (_, { fragments, suspects }) => {
  test.each(Object.entries(suspects))('%s: twice as many take twice as long', (_title, parts) => {
    growsLinearly(parts, (text) => readTrack(oneFile(encoded(text))))
  })

  test('any text is read or refused within the budget', () => {
    fc.assert(
      fc.property(textOf(fragments), (text) => {
        const bytes = encoded(text)
        within(captionBudget, bytes.length, () => readTrack(oneFile(bytes)))
      }),
      runs(50),
    )
  })

  test('any text in segments is read or refused within the budget', () => {
    fc.assert(
      fc.property(fc.array(textOf(fragments), { maxLength: 5 }), fc.double(), (texts, shiftSeconds) => {
        const files = texts.map(encoded)
        const size = files.reduce((sum, { length }) => sum + length, 0)
        within(captionBudget, size, () => readTrack([{ files, isOneFile: false, shiftSeconds }]))
      }),
      runs(20),
    )
  })

  test('any text of parts that repeat takes linear time', () => {
    fc.assert(
      fc.property(partsOf(fragments), (parts) => growsLinearly(parts, (text) => readTrack(oneFile(encoded(text))))),
      runs(10),
    )
  })
})
