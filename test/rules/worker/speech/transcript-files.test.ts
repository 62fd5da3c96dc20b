import fc from 'fast-check'
import { expect, test } from 'vitest'
import { milliseconds } from '../../../../domain/words/segment.ts'
import type { WrittenFormat } from '../../../../worker/speech/transcript-formats.ts'
import { type FileOptions, rendered, someSegments, transcript } from './formatting.ts'

/** The whole files of one talk, with every choice that a caller has. */
const talk = transcript(
  [0.5, 2, 'Welcome.', 'A'],
  [2, 6.25, 'Today we talk about prices in the north, and about 5 * 3 boxes_of [tea].', 'A'],
  [61, 63, 'Is it cheap?', 'B'],
  [3_725, 3_730, 'No,\tit is <not>.', 'A'],
)
const about = {
  title: 'Tea & #1 *news*',
  chapters: [
    { title: 'Hello', startSeconds: 0, endSeconds: 60 },
    { title: 'Nothing\nis said here', startSeconds: 64, endSeconds: 90 },
    { title: '', startSeconds: 60, endSeconds: 64 },
    { title: 'Prices_', startSeconds: 3_726, endSeconds: 3_800 },
  ],
}

const files: [string, WrittenFormat, FileOptions, string][] = [
  [
    'plain text',
    'txt',
    {},
    `Welcome. Today we talk about prices in the north, and about 5 * 3 boxes_of [tea].

Is it cheap?

No, it is <not>.
`,
  ],
  [
    'plain text with names and chapters',
    'txt',
    { speakers: true, chapters: true },
    `Hello

A: Welcome. Today we talk about prices in the north, and about 5 * 3 boxes_of [tea].

B: Is it cheap?

Prices_

A: No, it is <not>.
`,
  ],
  [
    'Markdown',
    'md',
    {},
    `# Tea \\& \\#1 \\*news\\*

**[0:00]** Welcome. Today we talk about prices in the north, and about 5 \\* 3 boxes\\_of \\[tea\\].

**[1:01]** Is it cheap?

**[1:02:05]** No, it is \\<not\\>.
`,
  ],
  [
    'Markdown with names and chapters',
    'md',
    { speakers: true, chapters: true },
    `# Tea \\& \\#1 \\*news\\*

## Hello

**[0:00] A:** Welcome. Today we talk about prices in the north, and about 5 \\* 3 boxes\\_of \\[tea\\].

**[1:01] B:** Is it cheap?

## Prices\\_

**[1:02:05] A:** No, it is \\<not\\>.
`,
  ],
  [
    'a table with speakers',
    'tsv',
    {},
    `start	end	text	speaker
0.5	2	Welcome.	A
2	6.25	Today we talk about prices in the north, and about 5 * 3 boxes_of [tea].	A
61	63	Is it cheap?	B
3725	3730	No, it is <not>.	A
`,
  ],
  [
    'subtitles with names and one short line',
    'srt',
    { speakers: true, maxLineChars: 20, maxLines: 1 },
    `1
00:00:00,500 --> 00:00:02,000
A: Welcome.

2
00:00:02,000 --> 00:00:03,172
Today we talk about

3
00:00:03,172 --> 00:00:04,418
prices in the north,

4
00:00:04,418 --> 00:00:05,151
and about 5 *

5
00:00:05,151 --> 00:00:06,250
3 boxes_of [tea].

6
00:01:01,000 --> 00:01:03,000
B: Is it cheap?

7
01:02:05,000 --> 01:02:10,000
A: No, it is <not>.

`,
  ],
  [
    'subtitles with names and three lines',
    'vtt',
    { speakers: true, maxLineChars: 30, maxLines: 3 },
    `WEBVTT

00:00:00.500 --> 00:00:02.000
<v A>A: Welcome.

00:00:02.000 --> 00:00:06.250
<v A>Today we talk about prices
in the north, and about
5 * 3 boxes_of [tea].

00:01:01.000 --> 00:01:03.000
<v B>B: Is it cheap?

01:02:05.000 --> 01:02:10.000
<v A>A: No, it is &lt;not&gt;.
`,
  ],
]

test.each(files)('%s', async (_title, format, options, file) => {
  expect((await rendered(talk, format, { about, ...options })).replaceAll('\r', '')).toBe(file)
})

test('a talk without speakers has no column of speakers', async () => {
  expect(await rendered(transcript([0, 1, 'Hi']), 'tsv')).toBe('start\tend\ttext\n0\t1\tHi\n')
})

test('chapters and a title change nothing where they are not asked for, or are not known', async () => {
  const hi = transcript([0, 1, 'Hi'])
  expect(await rendered(hi, 'txt', { about })).toBe('Hi\n')
  expect(await rendered(hi, 'txt', { chapters: true })).toBe('Hi\n')
  expect(await rendered(hi, 'md')).toBe('**[0:00]** Hi\n')
  expect(await rendered([], 'md', { about: { title: ' ' } })).toBe('')
})

test('the rows of a table are the segments, whatever they contain', async () => {
  await fc.assert(
    fc.asyncProperty(someSegments, async (some) => {
      const [header = '', ...rows] = (await rendered(some, 'tsv')).split('\n').slice(0, -1)
      const columns = header.split('\t')
      const read = rows.map((row) => row.split('\t'))
      const onOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ')
      expect(read.map(([start, end, text]) => [Number(start), Number(end), text])).toEqual(
        some.map(({ start, end, text }) => [milliseconds(start), milliseconds(end), onOneLine(text)]),
      )
      for (const row of read) expect(row.length).toBe(columns.length)
      if (columns.includes('speaker')) {
        expect(read.map((row) => row[3])).toEqual(some.map(({ speaker = '' }) => onOneLine(speaker)))
      }
    }),
  )
})

test('no text of a speaker is Markdown', async () => {
  const markup = fc.array(fc.constantFrom('*', '_', '[', ']', '(', '<b>', '`', '#', '\\', '~', '$', '&amp;', '|', 'a'))
  await fc.assert(
    fc.asyncProperty(
      markup.map((pieces) => pieces.join('')).filter((text) => text !== ''),
      async (given) => {
        const file = await rendered([{ start: 0, end: 1, text: given }], 'md')
        const written = file.slice('**[0:00]** '.length, -1)
        // Every mark is escaped, and without the escapes it is the text.
        expect(written.replace(/\\[\\`*_[\]<>#~$|&]/g, '')).not.toMatch(/[\\`*_[\]<>#~$|&]/)
        expect(written.replace(/\\(.)/g, '$1')).toBe(given)
      },
    ),
  )
})
