import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import webvtt from 'node-webvtt'
import { describe, expect, test } from 'vitest'
import { readCaptions } from '../../../../container/captions/read.ts'
import { contentTypes, transcriptFormats } from '../../../../domain/words/transcript-formats.ts'
import { width } from '../../../../domain/words/writing.ts'
import { formatted, rendered, someSegments, transcript } from './formatting.ts'

const long =
  'When the long sentence began nobody knew how it would end, but after a while, as it always does, it ended. Then came a short one.'

describe('plain text', () => {
  test.each([
    [
      'a pause starts a paragraph',
      transcript([0, 1, 'Hi.'], [1.5, 2, 'You.'], [5, 6, 'There.']),
      'Hi. You.\n\nThere.\n',
    ],
    [
      'another speaker starts a paragraph',
      transcript([0, 1, 'Hi.', 'Ann'], [1, 2, 'You.', 'Ann'], [2, 3, 'Yes?', 'Bob']),
      'Hi. You.\n\nYes?\n',
    ],
    [
      'Chinese sentences are not separated by a space',
      transcript([0, 1, '你好。'], [1, 2, '再见。']),
      '你好。再见。\n',
    ],
    ['no segments, no text', transcript(), ''],
  ])('%s', async (_, some, text) => expect(await rendered(some, 'txt')).toBe(text))

  test('with speakers, each paragraph begins with a name', async () => {
    const talk = transcript([0, 1, 'Hi.', 'Ann'], [1, 2, 'You.', 'Ann'], [2, 3, 'Yes?', 'Bob'], [3, 4, '[Music]'])
    expect(await rendered(talk, 'txt', { speakers: true })).toBe('Ann: Hi. You.\n\nBob: Yes?\n\n[Music]\n')
  })

  test('long text without pauses is divided after a sentence', async () => {
    const wall = transcript(
      ...Array.from({ length: 40 }, (_, i): [number, number, string] => [
        i,
        i + 1,
        i % 2 ? 'and so it ends here.' : 'Each sentence has two parts',
      ]),
    )
    const paragraphs = (await rendered(wall, 'txt')).trim().split('\n\n')
    expect(paragraphs.length).toBeGreaterThan(1)
    for (const paragraph of paragraphs) expect(paragraph).toMatch(/^Each .*\.$/)
  })
})

describe('SubRip', () => {
  test('has numbers, commas and Windows line ends', async () => {
    expect(await rendered(transcript([0, 1.5, 'Hi', 'Ann'], [3661.042, 3662, 'you']), 'srt')).toBe(
      '1\r\n00:00:00,000 --> 00:00:01,500\r\nHi\r\n\r\n2\r\n01:01:01,042 --> 01:01:02,000\r\nyou\r\n\r\n',
    )
  })
  test('an arrow in the text is not parsed as a time line', async () => {
    expect((await rendered(transcript([0, 1, '00:00:00,000 --> 00:00:01,000']), 'srt')).match(/-->/g)).toHaveLength(1)
  })
  test('a long segment is split after a clause, and its cues share the time by length', async () => {
    expect((await rendered(transcript([10, 20, long]), 'srt')).replaceAll('\r', '')).toMatchInlineSnapshot(`
      "1
      00:00:10,000 --> 00:00:16,058
      When the long sentence began nobody
      knew how it would end, but after a while,

      2
      00:00:16,058 --> 00:00:20,000
      as it always does, it ended.
      Then came a short one.

      "
    `)
  })
})

describe('WebVTT', () => {
  test('escapes markup', async () => {
    const cue = 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n'
    const talk = transcript([0, 1, 'a < b && c --> d', 'Tom & <Jerry>'])
    expect(await rendered(talk, 'vtt')).toBe(`${cue}a &lt; b &amp;&amp; c --&gt; d\n`)
    expect(await rendered(talk, 'vtt', { speakers: true })).toBe(
      `${cue}<v Tom &amp; &lt;Jerry&gt;>Tom &amp; &lt;Jerry&gt;: a &lt; b &amp;&amp; c --&gt; d\n`,
    )
  })
  test('without segments is only a header', async () => expect(await rendered(transcript(), 'vtt')).toBe('WEBVTT\n'))
})

const bare = (text: string) => text.replace(/\s/g, '')

test('for any text, lines and cues are no longer than the caller allows, and no letter is lost', async () => {
  const layouts = fc.record({
    maxLineChars: fc.integer({ min: 20, max: 100 }),
    maxLines: fc.integer({ min: 1, max: 3 }),
    speakers: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(someSegments, layouts, async (some, layout) => {
      const cues = (await rendered(some, 'srt', layout)).split('\r\n\r\n').filter(Boolean)
      const blocks = cues.map((cue) => cue.split('\r\n').slice(2))
      for (const lines of blocks) {
        expect(lines.length).toBeGreaterThan(0)
        expect(lines.length).toBeLessThanOrEqual(layout.maxLines)
        for (const line of lines) expect(width(line)).toBeLessThanOrEqual(layout.maxLineChars)
        for (const line of lines) expect(line).not.toContain('-->')
      }
      // Arrows are replaced only within a line, not across a line break.
      const written = bare(blocks.flat().join('')).replaceAll('→', '-->')
      if (!layout.speakers) expect(written).toBe(bare(some.map(({ text }) => text).join('')))
    }),
  )
})

test('node-webvtt in strict mode and our own parser read the WebVTT', async () => {
  await fc.assert(
    fc.asyncProperty(someSegments, async (some) => {
      const file = await rendered(some, 'vtt')
      const { cues, valid } = webvtt.parse(file, { strict: true })
      expect(valid).toBe(true)
      for (const [index, { start }] of cues.entries()) expect(start).toBeGreaterThanOrEqual(cues[index - 1]?.end ?? 0)
      const ours = readCaptions(new TextEncoder().encode(file))
      expect(bare(ours.map(({ text }) => text).join(''))).toBe(bare(some.map(({ text }) => text).join('')))
    }),
  )
})

const ffmpeg = (input: string, from: string, to: string) =>
  spawnSync('ffmpeg', ['-v', 'warning', '-f', from, '-i', 'pipe:0', '-f', to, 'pipe:1'], {
    input,
    encoding: 'utf8',
    timeout: 20_000,
  })

describe('ffmpeg reads the same text at the same times', () => {
  const hard = transcript(
    [0, 2, '1984'],
    [2, 4, 'a & b'],
    [4, 14, long, 'Ann'],
    [
      14,
      30,
      '今日は、とても良い天気ですね。公園へ散歩に行きましょう。それから美味しいご飯を食べて、家に帰って寝ます。',
    ],
    [31, 32, '42'],
    [3700.5, 3701.25, '♪ [Music] ♪'],
  )
  test.each([
    ['srt', 'srt', 'webvtt'],
    ['vtt', 'webvtt', 'srt'],
  ] as const)('%s', async (as, from, to) => {
    const file = await rendered(hard, as)
    const { status, stderr, stdout } = ffmpeg(file, from, to)
    expect([status, stderr]).toEqual([0, ''])
    const cues = (text: string) =>
      readCaptions(new TextEncoder().encode(text)).map(({ start, end, text }) => [start, end, text])
    expect(cues(stdout)).toEqual(cues(file))
    expect(cues(file)[0]).toEqual([0, 2, '1984'])
  })
})

test.each(['txt', 'srt', 'vtt', 'tsv', 'md'] as const)(
  'a long transcript is written as %s in small pieces while it is read, and never more than two segments are in memory',
  async (as) => {
    let read = 0
    async function* talk() {
      for (let at = 0; read < 2_000_000; at++) {
        read += long.length
        yield { start: at * 5, end: at * 5 + 4, text: long, speaker: `${at % 4}` }
      }
    }
    let [before, most, written, longest] = [0, 0, 0, 0]
    for await (const piece of formatted(talk(), as, { speakers: true, about: { hasSpeakers: true } })) {
      most = Math.max(most, read - before)
      before = read
      written += piece.length
      longest = Math.max(longest, piece.length)
    }
    expect(written).toBeGreaterThan(2_000_000)
    expect(most).toBeLessThanOrEqual(2 * long.length)
    expect(longest).toBeLessThan(1_000)
  },
)

test('every format has a content type', () => {
  expect(Object.keys(contentTypes)).toEqual(transcriptFormats)
})
