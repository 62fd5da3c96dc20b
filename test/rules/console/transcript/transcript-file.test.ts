import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Api } from '../../../../console/assets/account/api.js'
import { formatToName, transcriptFile, withNames } from '../../../../console/assets/transcript/transcript-file.js'
import type { Segment } from '../../../../domain/words/segment.ts'
import { runs } from '../../../support/runs.ts'
import { rendered, transcript } from '../../worker/speech/formatting.ts'

/** The service writes files with labels, and the browser puts names in their place. */
const formats = ['txt', 'md', 'srt', 'vtt', 'tsv'] as const
type Format = (typeof formats)[number]

const layout = {
  ...{ speakers: true, chapters: true, maxLineChars: 30 },
  about: { title: 'On *stars*', chapters: [{ title: '# A: <One> ', startSeconds: 4, endSeconds: 400 }] },
}

/** What the service writes in the format that is asked for, with the names put in. */
const named = async (segments: Segment[], format: Format, names: Map<string, string>) =>
  withNames(await rendered(segments, formatToName(format) as Format, layout), format, names)

const withSpeakers = (segments: Segment[], names: Map<string, string>): Segment[] =>
  segments.map(({ speaker, ...segment }) => ({
    ...segment,
    ...(speaker && { speaker: names.get(speaker) ?? speaker }),
  }))

const talk = transcript(
  [0, 2, 'A: is what I am called.', 'A'],
  [2, 4, 'B: and *I* <b> say & mean --> it.', 'B'],
  [4, 6, 'B: again.', 'B'],
  [10, 12, '**[0:10] B:** is what nobody said.'],
  [12, 14, 'And **this** is a text that is longer than one line, A: and then some.', 'A'],
  [14, 16, 'Me too.', 'Dr. Ann Lee'],
)

test.each(formats)(
  'a name in %s stands where the label stood, and text that looks like a label stays',
  async (format) => {
    // Names of the labels' length break no line elsewhere.
    const names = new Map([
      ['A', '*'],
      ['B', '<'],
      ['Dr. Ann Lee', 'Ms. Bo & Co'],
    ])
    expect(await named(talk, format, names)).toBe(await rendered(withSpeakers(talk, names), format, layout))
  },
)

test.each(formats)('without a name nothing of %s changes', async (format) => {
  expect(await named(talk, format, new Map([['X', 'Nobody']]))).toBe(await rendered(talk, format, layout))
})

const words = fc.constantFrom(
  'A:',
  'B:',
  'A',
  'hello',
  'so',
  '**[0:01]',
  '** ',
  '*',
  '\\',
  '#',
  '##',
  '<v B>',
  '&lt;',
  '&',
  '-->',
  '今日',
  '。',
  ':',
)
const segments = fc
  .array(
    fc.record({
      text: fc.array(words, { minLength: 1, maxLength: 12 }).map((each) => each.join(' ')),
      speaker: fc.constantFrom('A', 'B', '*', '\\', 'A:', '<v>', undefined),
      pause: fc.constantFrom(0, 3),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) =>
    transcript(
      ...rows.map(
        ({ text, speaker, pause }, at) =>
          [at * 6, at * 6 + 6 - pause, text, speaker] as [number, number, string, string?],
      ),
    ),
  )
  .filter((rows) => rows.length > 0)

test.each(formats)('whatever was said, names in %s are all that differs', async (format) => {
  const names = new Map([
    ['A', 'Q'],
    ['*', '_'],
    ['\\', '`'],
    ['A:', 'Q*'],
    ['<v>', '>&;'],
  ])
  await fc.assert(
    fc.asyncProperty(segments, async (said) => {
      expect(await named(said, format, names)).toBe(await rendered(withSpeakers(said, names), format, layout))
    }),
    runs(100),
  )
})

test('a long name is whole, and every line that has none is as the service writes it', async () => {
  const names = new Map([['A', 'Maximilian Featherstonehaugh the Younger']])
  const [before, after] = [await rendered(talk, 'srt', layout), await named(talk, 'srt', names)]
  expect(after).toBe(before.replaceAll(/^A: (?=A: is|And)/gm, 'Maximilian Featherstonehaugh the Younger: '))
  expect(after).toContain('Maximilian Featherstonehaugh the Younger: A: is what')
})

test('JSON has the names in its segments and words, and keeps all else', async () => {
  const word = { start: 0, end: 0.5, text: 'speaker', speaker: 'A' }
  const file = {
    text: 'speaker',
    title: null,
    chapters: [],
    segments: [{ ...word, words: [word, { ...word, speaker: 'B' }] }],
  }
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify([['trn_1', [['A', 'Ann']]]]) })
  onTestFinished(() => void vi.unstubAllGlobals())
  const api = { transcript: async () => file } as unknown as Api
  const result = JSON.parse(await transcriptFile(api, 'trn_1', { format: 'json', speakers: true, chapters: true }))
  const ann = { ...word, speaker: 'Ann' }
  expect(result).toEqual({ ...file, segments: [{ ...ann, words: [ann, { ...word, speaker: 'B' }] }] })
})
