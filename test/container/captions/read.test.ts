import { describe, expect, test } from 'vitest'
import { readCaptions } from '../../../container/captions/read.ts'

const read = (text: string) => readCaptions(new TextEncoder().encode(text))
/** Each as its times and its text. */
const captions = (text: string) => read(text).map(({ start, end, text }) => `${start} ${end} ${text}`)

describe('WebVTT files from the web', () => {
  const cue = '00:01.000 --> 00:02.000'
  test.each([
    ['a byte order mark is skipped', `\uFEFFWEBVTT\n\n${cue}\nHi`, ['1 2 Hi']],
    ['lines may end with CR LF', `WEBVTT\r\n\r\n${cue}\r\nHi\r\nyou\r\n`, ['1 2 Hi you']],
    ['lines may end with CR', `WEBVTT\r\r${cue}\rHi\r`, ['1 2 Hi']],
    ['lines may end with CR CR LF', `WEBVTT\r\r\n\r\r\n${cue}\r\r\nHi\r\r\nyou`, ['1 2 Hi you']],
    [
      'text after the signature belongs to the header',
      `WEBVTT - Some title\nKind: captions\nLanguage: en\n\n${cue}\nHi`,
      ['1 2 Hi'],
    ],
    ['times may follow the header without an empty line', `WEBVTT\n${cue}\nHi`, ['1 2 Hi']],
    ['comments are skipped', `WEBVTT\n\nNOTE\nfor us\nonly\n\nNOTE more\n\n${cue}\nHi`, ['1 2 Hi']],
    ['a commented-out cue is skipped', `WEBVTT\n\nNOTE\n${cue}\nold\n\n${cue}\nHi`, ['1 2 Hi']],
    [
      'styles and regions are skipped',
      `WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\n${cue}\nHi`,
      ['1 2 Hi'],
    ],
    ['text that starts like a comment is kept', `WEBVTT\n\n${cue}\nNOTED\nNOTE this`, ['1 2 NOTED NOTE this']],
    ['identifiers are skipped', `WEBVTT\n\nintro-1\n${cue}\nHi`, ['1 2 Hi']],
    ['settings are skipped', `WEBVTT\n\n${cue} align:start position:0% line:-1\nHi`, ['1 2 Hi']],
    [
      'hours may have any number of digits',
      'WEBVTT\n\n1234:00:01.500 --> 1234:00:02.000\nHi',
      ['4442401.5 4442402 Hi'],
    ],
    ['minutes may exceed 59', 'WEBVTT\n\n75:00.000 --> 75:01.000\nHi', ['4500 4501 Hi']],
    ['a decimal comma is accepted', 'WEBVTT\n\n00:00:01,000 --> 00:00:02,5\nHi', ['1 2.5 Hi']],
    ['the fraction may be missing or long', 'WEBVTT\n\n00:01 --> 00:02.123456\nHi', ['1 2.123 Hi']],
    ['the arrow needs no spaces', 'WEBVTT\n\n00:01.000-->00:02.000\nHi', ['1 2 Hi']],
    ['a cue that ends before it starts is dropped', `WEBVTT\n\n00:03.000 --> 00:02.000\nno\n\n${cue}\nHi`, ['1 2 Hi']],
    ['a cue without duration is dropped', `WEBVTT\n\n00:02.000 --> 00:02.000\nno\n\n${cue}\nHi`, ['1 2 Hi']],
    [
      'a cue with invalid times is dropped with its text',
      `WEBVTT\n\n00:0x.000 --> 00:02.000\nno\n\n${cue}\nHi`,
      ['1 2 Hi'],
    ],
    [
      'a cue without text is dropped',
      `WEBVTT\n\n${cue}\n\n00:02.000 --> 00:03.000\n<i> </i>\n&nbsp;\n\n00:04.000 --> 00:05.000\nHi`,
      ['4 5 Hi'],
    ],
    [
      'an empty line between two cues may be missing',
      `WEBVTT\n\n1\n${cue}\nHi\n2\n00:02.000 --> 00:03.000\nyou`,
      ['1 2 Hi', '2 3 you'],
    ],
    ['an arrow in the text is kept', `WEBVTT\n\n${cue}\nfrom here --> to there`, ['1 2 from here --> to there']],
    [
      'tags are removed',
      `WEBVTT\n\n${cue}\n<c.yellow.bg_blue>Hi</c> <i>you</i> <00:01.500><c>there</c></>`,
      ['1 2 Hi you there'],
    ],
    [
      'entities are decoded after tags are removed',
      `WEBVTT\n\n${cue}\nTom &amp; &lt;i&gt;Jerry&lt;/i&gt;&#39;s&nbsp;&hearts;`,
      ["1 2 Tom & <i>Jerry</i>'s ♥"],
    ],
    ['invalid entities are kept', `WEBVTT\n\n${cue}\nAT&T &copying; R&D;`, ['1 2 AT&T &copying; R&D;']],
    ['`<3` is not a tag', `WEBVTT\n\n${cue}\nI <3 you, 5 < 6 > 4`, ['1 2 I <3 you, 5 < 6 > 4']],
    ['a tag that is never closed is text', `WEBVTT\n\n${cue}\nHi <i you`, ['1 2 Hi <i you']],
    ['a line break tag separates words', `WEBVTT\n\n${cue}\nHi<br/>you<BR>there`, ['1 2 Hi you there']],
    ['music notes are kept', `WEBVTT\n\n${cue}\n[Music]\n\n00:03.000 --> 00:04.000\n♪ ♪`, ['1 2 [Music]', '3 4 ♪ ♪']],
    ['Japanese lines are joined without a space', `WEBVTT\n\n${cue}\n今日は\nいい天気`, ['1 2 今日はいい天気']],
    ['cues may come in any order', `WEBVTT\n\n00:03.000 --> 00:04.000\nb\n\n${cue}\na`, ['1 2 a', '3 4 b']],
    ['a file with only a header has no captions', 'WEBVTT', []],
  ])('%s', (_, text, expected) => expect(captions(text)).toEqual(expected))

  test.each([
    ['a voice is the speaker', '<v Mary Ann>Hi', 'Mary Ann'],
    ['a voice may have classes', '<v.loud.first Esme &amp; Co>Hi</v>', 'Esme & Co'],
    ['two voices in one cue give no speaker', '<v Ann>Hi</v>\n<v Bob>Hi', undefined],
    ['a voice without a name gives no speaker', '<v>Hi', undefined],
    ['a name of a million letters gives no speaker', `<v ${'x'.repeat(1_000_000)}>Hi`, undefined],
  ])('%s', (_, text, speaker) => {
    expect(read(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}`)[0]?.speaker).toBe(speaker)
  })
})

describe('SubRip files from the web', () => {
  test.each([
    [
      'a plain file',
      '1\n00:00:01,000 --> 00:00:02,000\nHi\nyou\n\n2\n00:00:03,000 --> 00:00:04,500\nthere\n',
      ['1 2 Hi you', '3 4.5 there'],
    ],
    [
      'empty lines do not end the text',
      '1\n00:00:01,000 --> 00:00:02,000\nHi\n\nyou\n\n2\n00:00:03,000 --> 00:00:04,000\nthere',
      ['1 2 Hi you', '3 4 there'],
    ],
    [
      'numbers may be missing',
      '00:00:01,000 --> 00:00:02,000\nHi\n\n00:00:03,000 --> 00:00:04,000\nyou',
      ['1 2 Hi', '3 4 you'],
    ],
    [
      'a number is text if it does not precede times',
      '1\n00:00:01,000 --> 00:00:02,000\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\n42\n',
      ['1 2 1984', '3 4 42'],
    ],
    [
      'position settings and ASS overrides are removed',
      '1\n00:00:01,000 --> 00:00:02,000  X1:100 X2:200 Y1:1 Y2:2\n{\\an8}{\\i1}Hi{\\i0} {you}',
      ['1 2 Hi {you}'],
    ],
    [
      'font tags are removed',
      '1\n00:00:01,000 --> 00:00:02,000\n<font color="#ffff00">Hi</font> <b>you</b>',
      ['1 2 Hi you'],
    ],
    [
      'a negative time drops the cue',
      '1\n-00:00:01,000 --> 00:00:02,000\nno\n\n2\n00:00:03,000 --> 00:00:04,000\nHi',
      ['3 4 Hi'],
    ],
    ['times may have dots and no hours', '1\n00:01.000 --> 00:02.000\nHi', ['1 2 Hi']],
    [
      'text before the first cue is skipped',
      'get more at\nexample.com\n\n1\n00:00:01,000 --> 00:00:02,000\nHi',
      ['1 2 Hi'],
    ],
    ['an empty file has no captions', '', []],
    ['a web page has no captions', '<!doctype html><html><body>404</body></html>', []],
    ['plain text has no captions', 'Hello there,\nhow are you?', []],
  ])('%s', (_, text, expected) => expect(captions(text)).toEqual(expected))
})

describe("YouTube's json3", () => {
  const json3 = (events: unknown) => captions(JSON.stringify({ wireMagic: 'pb3', events }))
  test.each([
    [
      'the parts of an event are joined',
      [{ tStartMs: 1000, dDurationMs: 2000, segs: [{ utf8: 'Hi' }, { utf8: ' you', tOffsetMs: 500 }] }],
      ['1 3 Hi you'],
    ],
    ['numbers may be strings', [{ tStartMs: '1000', dDurationMs: '2000', segs: [{ utf8: 'Hi' }] }], ['1 3 Hi']],
    [
      'events without text, with only a line break, or that append are skipped',
      [
        { tStartMs: 0, dDurationMs: 9000, id: 1 },
        { tStartMs: 1000, dDurationMs: 4000, segs: [{ utf8: 'one' }] },
        { tStartMs: 2500, dDurationMs: 2500, aAppend: 1, segs: [{ utf8: '\n' }] },
        { tStartMs: 3000, dDurationMs: 4000, segs: [{ utf8: 'two' }] },
        { tStartMs: 3500, dDurationMs: 10, segs: [{ utf8: '\n' }] },
      ],
      ['1 3 one', '3 7 two'],
    ],
    ['an event at zero may omit its start', [{ dDurationMs: 2000, segs: [{ utf8: 'Hi\nyou' }] }], ['0 2 Hi you']],
    [
      'invalid events are skipped',
      [
        null,
        7,
        { segs: 'x' },
        { segs: [null, { utf8: 3 }] },
        { tStartMs: 'x', dDurationMs: 1, segs: [{ utf8: 'no' }] },
      ],
      [],
    ],
    ['no event list, no captions', 'x', []],
  ])('%s', (_, events, expected) => expect(json3(events)).toEqual(expected))

  test('invalid JSON has no captions', () => expect(captions('{"events":[')).toEqual([]))
})

describe('XML formats', () => {
  const tt = (body: string, attributes = '') =>
    `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" ${attributes}><body><div>${body}</div></body></tt>`
  test.each([
    ['begin and end', tt('<p begin="00:00:01.000" end="00:00:02.500">Hi<br/>you</p>'), ['1 2.5 Hi you']],
    ['begin and duration', tt('<p begin="1s" dur="1500ms">Hi</p>'), ['1 2.5 Hi']],
    [
      'frames and ticks',
      tt(
        '<p begin="00:00:01:12" end="50f">Hi</p><p begin="30000t" dur="10000t">you</p>',
        'xmlns:ttp="x" ttp:frameRate="25" ttp:tickRate="10000"',
      ),
      ['1.48 2 Hi', '3 4 you'],
    ],
    [
      'times are relative to the enclosing elements',
      '<tt><body begin="10s"><div begin="1m"><p begin="1s" end="2s">Hi</p></div></body></tt>',
      ['71 72 Hi'],
    ],
    [
      'spans with times in a paragraph without times',
      tt('<p><span begin="1s" end="2s">Hi</span><span begin="2s" end="3s"> <span>you</span></span></p>'),
      ['1 2 Hi', '2 3 you'],
    ],
    ['metadata is skipped', tt('<p begin="1s" end="2s"><metadata><x>no</x></metadata>Hi</p>'), ['1 2 Hi']],
    [
      'namespace prefixes and HTML entities',
      '<tt:tt xmlns:tt="x"><tt:body><tt:p begin="1s" end="2s">Hi&nbsp;&eacute;</tt:p></tt:body></tt:tt>',
      ['1 2 Hi é'],
    ],
    [
      'srv1',
      '<?xml version="1.0"?><transcript><text start="1.5" dur="2">Tom &amp;amp; Jerry&amp;#39;s</text></transcript>',
      ["1.5 3.5 Tom & Jerry's"],
    ],
    [
      'srv2',
      '<timedtext><text t="1000" d="500">Hi</text><text t="1200" d="500" append="1">\n</text></timedtext>',
      ['1 1.5 Hi'],
    ],
    [
      'srv3',
      '<timedtext format="3"><head><pen id="1"/></head><body><w t="0" id="1"/><p t="1000" d="500"><s>Hi</s><s t="200"> you</s></p><p t="1200" d="9" a="1">\n</p></body></timedtext>',
      ['1 1.5 Hi you'],
    ],
    ['invalid XML has no captions', '<tt><body><p begin="1s" end="2s">Hi</body>', []],
    ['100,000 nested tags have no captions', `${'<p>'.repeat(100_000)}${'</p>'.repeat(100_000)}`, []],
    [
      'entities that are defined in the document are not expanded',
      '<!DOCTYPE tt [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><tt><p begin="1s" end="2s">Hi &b;</p></tt>',
      ['1 2 Hi &b;'],
    ],
  ])('%s', (_, text, expected) => expect(captions(text)).toEqual(expected))
})
