import { describe, expect, test } from 'vitest'
import { readCaptions } from '../../../container/speech/captions/read.ts'

const read = (text: string) => readCaptions(new TextEncoder().encode(text))
const said = (text: string) => read(text).map(({ start, end, text }) => [start, end, text])

describe('WebVTT as it is found', () => {
  const cue = '00:01.000 --> 00:02.000'
  test.each([
    ['a byte order mark is passed over', `\uFEFFWEBVTT\n\n${cue}\nHi`, [[1, 2, 'Hi']]],
    ['lines may end as Windows ends them', `WEBVTT\r\n\r\n${cue}\r\nHi\r\nyou\r\n`, [[1, 2, 'Hi you']]],
    ['lines may end as old Macs ended them', `WEBVTT\r\r${cue}\rHi\r`, [[1, 2, 'Hi']]],
    ['lines may end with a carriage return too many', `WEBVTT\r\r\n\r\r\n${cue}\r\r\nHi\r\r\nyou`, [[1, 2, 'Hi you']]],
    [
      'text after the signature is header',
      `WEBVTT - Some title\nKind: captions\nLanguage: en\n\n${cue}\nHi`,
      [[1, 2, 'Hi']],
    ],
    ['times may follow the header without an empty line', `WEBVTT\n${cue}\nHi`, [[1, 2, 'Hi']]],
    ['comments are not words', `WEBVTT\n\nNOTE\nfor us\nonly\n\nNOTE more\n\n${cue}\nHi`, [[1, 2, 'Hi']]],
    ['a cue that is commented out is not words', `WEBVTT\n\nNOTE\n${cue}\nold\n\n${cue}\nHi`, [[1, 2, 'Hi']]],
    [
      'styles and regions are not words',
      `WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\n${cue}\nHi`,
      [[1, 2, 'Hi']],
    ],
    ['a word that begins like a comment is a word', `WEBVTT\n\n${cue}\nNOTED\nNOTE this`, [[1, 2, 'NOTED NOTE this']]],
    ['identifiers are not words', `WEBVTT\n\nintro-1\n${cue}\nHi`, [[1, 2, 'Hi']]],
    ['settings are not words', `WEBVTT\n\n${cue} align:start position:0% line:-1\nHi`, [[1, 2, 'Hi']]],
    [
      'hours may have any number of digits',
      'WEBVTT\n\n1234:00:01.500 --> 1234:00:02.000\nHi',
      [[4_442_401.5, 4_442_402, 'Hi']],
    ],
    ['minutes may count past 59', 'WEBVTT\n\n75:00.000 --> 75:01.000\nHi', [[4500, 4501, 'Hi']]],
    ['the comma of SubRip is taken', 'WEBVTT\n\n00:00:01,000 --> 00:00:02,5\nHi', [[1, 2.5, 'Hi']]],
    ['the fraction may be missing or long', 'WEBVTT\n\n00:01 --> 00:02.123456\nHi', [[1, 2.123, 'Hi']]],
    ['the arrow needs no spaces', 'WEBVTT\n\n00:01.000-->00:02.000\nHi', [[1, 2, 'Hi']]],
    [
      'a cue that ends before it begins is dropped',
      `WEBVTT\n\n00:03.000 --> 00:02.000\nno\n\n${cue}\nHi`,
      [[1, 2, 'Hi']],
    ],
    ['a cue of no length is dropped', `WEBVTT\n\n00:02.000 --> 00:02.000\nno\n\n${cue}\nHi`, [[1, 2, 'Hi']]],
    [
      'a cue with broken times is dropped, and its text',
      `WEBVTT\n\n00:0x.000 --> 00:02.000\nno\n\n${cue}\nHi`,
      [[1, 2, 'Hi']],
    ],
    [
      'a cue without text is dropped',
      `WEBVTT\n\n${cue}\n\n00:02.000 --> 00:03.000\n<i> </i>\n&nbsp;\n\n00:04.000 --> 00:05.000\nHi`,
      [[4, 5, 'Hi']],
    ],
    [
      'an empty line between two cues may be missing',
      `WEBVTT\n\n1\n${cue}\nHi\n2\n00:02.000 --> 00:03.000\nyou`,
      [
        [1, 2, 'Hi'],
        [2, 3, 'you'],
      ],
    ],
    ['an arrow in the text is text', `WEBVTT\n\n${cue}\nfrom here --> to there`, [[1, 2, 'from here --> to there']]],
    [
      'tags go',
      `WEBVTT\n\n${cue}\n<c.yellow.bg_blue>Hi</c> <i>you</i> <00:01.500><c>there</c></>`,
      [[1, 2, 'Hi you there']],
    ],
    [
      'entities are decoded after the tags are gone',
      `WEBVTT\n\n${cue}\nTom &amp; &lt;i&gt;Jerry&lt;/i&gt;&#39;s&nbsp;&hearts;`,
      [[1, 2, "Tom & <i>Jerry</i>'s ♥"]],
    ],
    ['what only looks like an entity stays', `WEBVTT\n\n${cue}\nAT&T &copying; R&D;`, [[1, 2, 'AT&T &copying; R&D;']]],
    ['a heart is not a tag', `WEBVTT\n\n${cue}\nI <3 you, 5 < 6 > 4`, [[1, 2, 'I <3 you, 5 < 6 > 4']]],
    ['a tag that never closes is text', `WEBVTT\n\n${cue}\nHi <i you`, [[1, 2, 'Hi <i you']]],
    ['a line break tag parts words', `WEBVTT\n\n${cue}\nHi<br/>you<BR>there`, [[1, 2, 'Hi you there']]],
    [
      'music stays',
      `WEBVTT\n\n${cue}\n[Music]\n\n00:03.000 --> 00:04.000\n♪ ♪`,
      [
        [1, 2, '[Music]'],
        [3, 4, '♪ ♪'],
      ],
    ],
    ['Japanese lines join without a space', `WEBVTT\n\n${cue}\n今日は\nいい天気`, [[1, 2, '今日はいい天気']]],
    [
      'cues may come in any order',
      `WEBVTT\n\n00:03.000 --> 00:04.000\nb\n\n${cue}\na`,
      [
        [1, 2, 'a'],
        [3, 4, 'b'],
      ],
    ],
    ['a file with a header alone has no words', 'WEBVTT', []],
  ])('%s', (_, text, expected) => expect(said(text)).toEqual(expected))

  test.each([
    ['a voice is the speaker', '<v Mary Ann>Hi', 'Mary Ann'],
    ['a voice may have classes', '<v.loud.first Esme &amp; Co>Hi</v>', 'Esme & Co'],
    ['two voices in one cue are nobody in particular', '<v Ann>Hi</v>\n<v Bob>Hi', undefined],
    ['a voice without a name is nobody', '<v>Hi', undefined],
    ['a name of a million letters is nobody', `<v ${'x'.repeat(1_000_000)}>Hi`, undefined],
  ])('%s', (_, text, speaker) => {
    expect(read(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}`)[0]?.speaker).toBe(speaker)
  })
})

describe('SubRip as it is found', () => {
  test.each([
    [
      'a plain file',
      '1\n00:00:01,000 --> 00:00:02,000\nHi\nyou\n\n2\n00:00:03,000 --> 00:00:04,500\nthere\n',
      [
        [1, 2, 'Hi you'],
        [3, 4.5, 'there'],
      ],
    ],
    [
      'empty lines in the text do not end it',
      '1\n00:00:01,000 --> 00:00:02,000\nHi\n\nyou\n\n2\n00:00:03,000 --> 00:00:04,000\nthere',
      [
        [1, 2, 'Hi you'],
        [3, 4, 'there'],
      ],
    ],
    [
      'numbers may be missing',
      '00:00:01,000 --> 00:00:02,000\nHi\n\n00:00:03,000 --> 00:00:04,000\nyou',
      [
        [1, 2, 'Hi'],
        [3, 4, 'you'],
      ],
    ],
    [
      'a number is text when it is said',
      '1\n00:00:01,000 --> 00:00:02,000\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\n42\n',
      [
        [1, 2, '1984'],
        [3, 4, '42'],
      ],
    ],
    [
      'position settings and overrides of other players go',
      '1\n00:00:01,000 --> 00:00:02,000  X1:100 X2:200 Y1:1 Y2:2\n{\\an8}{\\i1}Hi{\\i0} {you}',
      [[1, 2, 'Hi {you}']],
    ],
    [
      'font tags go',
      '1\n00:00:01,000 --> 00:00:02,000\n<font color="#ffff00">Hi</font> <b>you</b>',
      [[1, 2, 'Hi you']],
    ],
    [
      'a negative time drops the cue',
      '1\n-00:00:01,000 --> 00:00:02,000\nno\n\n2\n00:00:03,000 --> 00:00:04,000\nHi',
      [[3, 4, 'Hi']],
    ],
    ['times may have dots and no hours', '1\n00:01.000 --> 00:02.000\nHi', [[1, 2, 'Hi']]],
    [
      'an advertisement before the first number is passed over',
      'get more at\nexample.com\n\n1\n00:00:01,000 --> 00:00:02,000\nHi',
      [[1, 2, 'Hi']],
    ],
    ['nothing has no words', '', []],
    ['a web page has no words', '<!doctype html><html><body>404</body></html>', []],
    ['plain text has no words', 'Hello there,\nhow are you?', []],
  ])('%s', (_, text, expected) => expect(said(text)).toEqual(expected))
})

describe("YouTube's json3", () => {
  const json3 = (events: unknown) => said(JSON.stringify({ wireMagic: 'pb3', events }))
  test.each([
    [
      'words of an event are one text',
      [{ tStartMs: 1000, dDurationMs: 2000, segs: [{ utf8: 'Hi' }, { utf8: ' you', tOffsetMs: 500 }] }],
      [[1, 3, 'Hi you']],
    ],
    ['numbers may be strings', [{ tStartMs: '1000', dDurationMs: '2000', segs: [{ utf8: 'Hi' }] }], [[1, 3, 'Hi']]],
    [
      'events without words, of a line break, or that append are passed over',
      [
        { tStartMs: 0, dDurationMs: 9000, id: 1 },
        { tStartMs: 1000, dDurationMs: 4000, segs: [{ utf8: 'one' }] },
        { tStartMs: 2500, dDurationMs: 2500, aAppend: 1, segs: [{ utf8: '\n' }] },
        { tStartMs: 3000, dDurationMs: 4000, segs: [{ utf8: 'two' }] },
        { tStartMs: 3500, dDurationMs: 10, segs: [{ utf8: '\n' }] },
      ],
      [
        [1, 3, 'one'],
        [3, 7, 'two'],
      ],
    ],
    [
      'an event at zero may leave its start out',
      [{ dDurationMs: 2000, segs: [{ utf8: 'Hi\nyou' }] }],
      [[0, 2, 'Hi you']],
    ],
    [
      'nonsense is passed over',
      [
        null,
        7,
        { segs: 'x' },
        { segs: [null, { utf8: 3 }] },
        { tStartMs: 'x', dDurationMs: 1, segs: [{ utf8: 'no' }] },
      ],
      [],
    ],
    ['no events are no words', 'x', []],
  ])('%s', (_, events, expected) => expect(json3(events)).toEqual(expected))

  test('broken JSON has no words', () => expect(said('{"events":[')).toEqual([]))
})

describe('the XML family', () => {
  const tt = (body: string, attributes = '') =>
    `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" ${attributes}><body><div>${body}</div></body></tt>`
  test.each([
    ['begin and end', tt('<p begin="00:00:01.000" end="00:00:02.500">Hi<br/>you</p>'), [[1, 2.5, 'Hi you']]],
    ['begin and duration', tt('<p begin="1s" dur="1500ms">Hi</p>'), [[1, 2.5, 'Hi']]],
    [
      'frames and ticks',
      tt(
        '<p begin="00:00:01:12" end="50f">Hi</p><p begin="30000t" dur="10000t">you</p>',
        'xmlns:ttp="x" ttp:frameRate="25" ttp:tickRate="10000"',
      ),
      [
        [1.48, 2, 'Hi'],
        [3, 4, 'you'],
      ],
    ],
    [
      'times of what is around count',
      '<tt><body begin="10s"><div begin="1m"><p begin="1s" end="2s">Hi</p></div></body></tt>',
      [[71, 72, 'Hi']],
    ],
    [
      'spans with times in a paragraph without',
      tt('<p><span begin="1s" end="2s">Hi</span><span begin="2s" end="3s"> <span>you</span></span></p>'),
      [
        [1, 2, 'Hi'],
        [2, 3, 'you'],
      ],
    ],
    ['metadata is not words', tt('<p begin="1s" end="2s"><metadata><x>no</x></metadata>Hi</p>'), [[1, 2, 'Hi']]],
    [
      'prefixes and unknown entities',
      '<tt:tt xmlns:tt="x"><tt:body><tt:p begin="1s" end="2s">Hi&nbsp;&eacute;</tt:p></tt:body></tt:tt>',
      [[1, 2, 'Hi é']],
    ],
    [
      'srv1',
      '<?xml version="1.0"?><transcript><text start="1.5" dur="2">Tom &amp;amp; Jerry&amp;#39;s</text></transcript>',
      [[1.5, 3.5, "Tom & Jerry's"]],
    ],
    [
      'srv2',
      '<timedtext><text t="1000" d="500">Hi</text><text t="1200" d="500" append="1">\n</text></timedtext>',
      [[1, 1.5, 'Hi']],
    ],
    [
      'srv3',
      '<timedtext format="3"><head><pen id="1"/></head><body><w t="0" id="1"/><p t="1000" d="500"><s>Hi</s><s t="200"> you</s></p><p t="1200" d="9" a="1">\n</p></body></timedtext>',
      [[1, 1.5, 'Hi you']],
    ],
    ['broken XML has no words', '<tt><body><p begin="1s" end="2s">Hi</body>', []],
    ['a tower of tags has no words', `${'<p>'.repeat(100_000)}${'</p>'.repeat(100_000)}`, []],
    [
      'entities that make more of themselves are not expanded',
      '<!DOCTYPE tt [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><tt><p begin="1s" end="2s">Hi &b;</p></tt>',
      [[1, 2, 'Hi &b;']],
    ],
  ])('%s', (_, text, expected) => expect(said(text)).toEqual(expected))
})
