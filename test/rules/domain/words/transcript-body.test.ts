import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inOrder, partsOf, type Segment } from '../../../../domain/words/segment.ts'
import {
  rangeInObject,
  readSection,
  storedSegments,
  storedTranscript,
  storedWords,
} from '../../../../domain/words/transcript-body.ts'
import { readStored } from '../../../support/stored-transcript.ts'

const stored = (segments: Segment[]) => storedTranscript(segments).body

/** Chunks of these sizes, again and again. */
async function* inChunks(bytes: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const to = from + (sizes[turn % sizes.length] ?? 1)
    yield bytes.subarray(from, to)
    from = to
  }
}

const readBack = async (bytes: Uint8Array, sizes = [bytes.length]): Promise<Segment[]> => {
  const segments: Segment[] = []
  for await (const segment of storedSegments(inChunks(bytes, sizes))) segments.push(segment)
  return segments
}

/** Pieces of text that look like the separators of the stored form. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\\n', '"\n"', '}\n{"start":', '},{"start":', '"', '\\', ','),
      fc.constantFrom('東京', '🎬', 'é', '\u2028', '\u0001', '\ud800', ' '),
      fc.stringMatching(/^[a-z{}[\]:,"\\]{0,9}$/),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => pieces.join(''))

const segments = fc
  .array(fc.tuple(fc.nat(1_000), text, fc.option(text, { nil: undefined })), { maxLength: 8 })
  .map((rows) =>
    inOrder(
      rows.map(([milliseconds, text, speaker], index) => ({
        start: index * 2,
        end: index * 2 + 0.5 + milliseconds / 1_000,
        text,
        ...(speaker ? { speaker } : {}),
      })),
    ),
  )

const withWords = fc
  .tuple(segments, fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 8 }))
  .map(([some, words]) =>
    inOrder(
      some.map((segment, index) => ({
        ...segment,
        words: (words[index] ?? []).map((word) => ({ start: segment.start, end: segment.end, text: word })),
      })),
    ),
  )

const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 })

describe('a stored transcript', () => {
  test('is read back as it was written, whatever its texts contain and wherever its bytes are divided', async () => {
    await fc.assert(
      fc.asyncProperty(segments, sizes, async (some, chunkSizes) => {
        const bytes = stored(some)
        expect(await readBack(bytes, chunkSizes)).toEqual(some)
      }),
    )
  })

  test('has all its segments, with their words, in the section with words, wherever its bytes are divided', async () => {
    await fc.assert(
      fc.asyncProperty(withWords, sizes, async (some, chunkSizes) => {
        const { body, plainBytes } = storedTranscript(some)
        const { offset } = rangeInObject({ plainBytes }, true)
        const words: unknown[] = []
        for await (const word of storedWords(inChunks(body.subarray(offset), chunkSizes))) words.push(word)
        expect(words).toEqual(some.flatMap((segment) => segment.words ?? []))
        expect(await readBack(body.subarray(offset), chunkSizes)).toEqual(some)
      }),
    )
  })

  test('has its text, its segments and the end of the last one', () => {
    const transcript = storedTranscript([
      { start: 1, end: 2.5, text: ' you ' },
      { start: 0, end: 1, text: 'Hi', speaker: 'Ann' },
    ])
    expect(readSection(transcript.body)).toEqual({
      text: 'Hi you',
      segments: [
        { start: 0, end: 1, text: 'Hi', speaker: 'Ann' },
        { start: 1, end: 2.5, text: 'you' },
      ],
    })
    expect([transcript.segments, transcript.endSeconds]).toEqual([2, 2.5])
  })

  test('with words has two sections, without and with them', async () => {
    const words = [{ start: 0, end: 1, text: 'Hi' }]
    const { body, ...facts } = storedTranscript([
      { start: 0, end: 1, text: 'Hi', speaker: 'Ann', words },
      { start: 1, end: 2, text: '東京' },
    ])
    const partOf = (withWords: boolean) => {
      const { offset, length = body.length - offset } = rangeInObject(facts, withWords)
      return body.subarray(offset, offset + length)
    }
    const plain = [
      { start: 0, end: 1, text: 'Hi', speaker: 'Ann' },
      { start: 1, end: 2, text: '東京' },
    ]
    const parsed = [false, true].map((withWords) => readSection(partOf(withWords)))
    expect(parsed).toEqual([
      { text: 'Hi 東京', segments: plain },
      { text: 'Hi 東京', segments: [{ ...plain[0], words }, plain[1]] },
    ])
    expect(await readBack(partOf(false), [3])).toEqual(plain)
    expect(facts).toMatchObject({ hasWords: true, hasSpeakers: true, segments: 2, endSeconds: 2 })
  })

  test.each([
    ['that are not there', undefined],
    ['of which there are none', []],
  ])('with words %s has one section, of a line for the text and one for each segment', (_, words) => {
    const { body, ...facts } = storedTranscript([{ start: 0, end: 1, text: 'Hi', ...(words && { words }) }])
    expect(new TextDecoder().decode(body)).toBe('"Hi"\n{"start":0,"end":1,"text":"Hi"}')
    expect(facts).toMatchObject({ hasWords: false, hasSpeakers: false, plainBytes: null })
    const plain = { plainBytes: null }
    expect([rangeInObject(plain, false), rangeInObject(plain, true)]).toEqual([{ offset: 0 }, { offset: 0 }])
  })

  test('of silence has no segments', async () => {
    const { body } = storedTranscript([])
    expect(new TextDecoder().decode(body)).toBe('""\n')
    expect([readSection(body), await readBack(body)]).toEqual([{ text: '', segments: [] }, []])
  })

  test('has no control characters, and none that change the direction of the text around them', () => {
    const evil = 'a\u001b[31mb\u202egpj.exe\u2066\u0000'
    const segment = { start: 0, end: 1, text: evil, speaker: evil }
    const { body } = storedTranscript([{ ...segment, words: [{ ...segment, speaker: evil }] }])
    const said = 'a [31mbgpj.exe'
    const shown = { start: 0, end: 1, text: said, speaker: said }
    expect(readStored(body)).toEqual({ text: said, segments: [{ ...shown, words: [shown] }] })
  })

  test('with a segment of 3 MB is read in parts', async () => {
    const text = 'some words of a talk, '.repeat(140_000).trim()
    const read = await readBack(stored([{ start: 0, end: 3_600, text, speaker: 'Ann' }]), [65_536])
    expect(read.length).toBeGreaterThan(300)
    expect(read.map((part) => part.text).join(' ')).toBe(text)
    expect(new Set(read.map(({ speaker }) => speaker))).toEqual(new Set(['Ann']))
  })
})

describe('parts of a segment', () => {
  const longText = fc
    .array(fc.constantFrom('a word', ' ', 'x'.repeat(6_000), '👍'.repeat(4_001), 'ก'.repeat(700)), { maxLength: 12 })
    .map((pieces) => pieces.join('').trim())
    .filter((text) => text !== '')

  test('have at most 10,000 characters, follow each other and lose no letter', () => {
    fc.assert(
      fc.property(longText, fc.integer({ min: 1, max: 100 }), (text, end) => {
        const parts = [...partsOf({ start: 0, end, text })]
        expect(
          parts
            .map((part) => part.text)
            .join('')
            .replaceAll(' ', ''),
        ).toBe(text.replaceAll(' ', ''))
        expect([parts[0]?.start, parts.at(-1)?.end]).toEqual([0, end])
        for (const [index, part] of parts.entries()) {
          expect(part.text.length).toBeLessThanOrEqual(10_000)
          expect(part.text.isWellFormed()).toBe(true)
          expect(part.start).toBe(index === 0 ? 0 : parts[index - 1]?.end)
        }
      }),
    )
  })

  test('a shorter segment is its only part', () => {
    const segment = { start: 1, end: 2, text: 'Hi', speaker: 'Ann' }
    expect([...partsOf(segment)]).toEqual([segment])
  })
})
