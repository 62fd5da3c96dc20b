import { writeFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { withLinkedLimits } from '../../../container/captions/tracks.ts'
import { SourceFailure } from '../../../container/failures.ts'
import { fetchSmallFile } from '../../../container/source/transfer/segments.ts'
import { findCaptions } from '../../../container/steps/captions.ts'
import type { CaptionsOrder, LinkedFile } from '../../../domain/protocol/protocol.ts'
import { fixturesRoot } from '../../doubles/origin/fixtures.ts'
import { readStored } from '../../support/stored-transcript.ts'
import { scratchFolder } from '../audio/recordings.ts'
import { anOrigin } from '../source/downloading.ts'
import { createStepHarness, resultOf } from './step-harness.ts'

/** An episode whose feed names transcripts and chapters. */
const root = scratchFolder()
const harness = createStepHarness(root)
beforeAll(async () => {
  await mkdir(join(root, 'captions'))
  const fixtures = ['tone.mp3', 'still.png', 'faststart.mp4', 'captions/en.vtt']
  for (const path of fixtures) await copyFile(join(fixturesRoot, path), join(root, path))
  const srt = '1\n00:00:00,500 --> 00:00:02,000\nFrom SRT.\n'
  const files: Record<string, string> = {
    'one.vtt': 'WEBVTT\n\n00:00.500 --> 00:02.000\nFrom VTT.\n',
    'one.srt': srt,
    'de.srt': srt.replace('From', 'Aus'),
    'one.json': JSON.stringify({ segments: [{ startTime: 0.5, endTime: 2, body: 'From JSON.', speaker: 'Ann' }] }),
    'one.html': '<cite>Ann:</cite><time>0:01</time><p>From HTML.</p>',
    'broken.json': '{"segments": [',
    'empty.vtt': '',
    'without-cues.vtt': 'WEBVTT\n',
    'page.vtt': '<!DOCTYPE html><html><body><h1>Not found</h1></body></html>',
    'large.vtt': `WEBVTT\n\n${'NOTE a comment\n\n'.repeat(750_000)}`,
    'chapters.json': JSON.stringify({ chapters: [{ startTime: 0, title: 'Start' }, { startTime: 3 }] }),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
})

/** Its URL is relative to that of the media, which is known later. */
const file = (url: string, language: string | null = null): LinkedFile => {
  const extension = /\.(vtt|srt|json|html)\b/.exec(url)?.[1] ?? 'vtt'
  return { url, format: extension as LinkedFile['format'], language }
}

const run = async (
  transcripts: LinkedFile[],
  { language = null as string | null, chapters = null as string | null, media = 'tone.mp3' } = {},
) => {
  const at = (url: string) => new URL(url, `${harness.origin.url}/media/`).href
  const linked = {
    transcripts: transcripts.map(({ url, ...more }) => ({ ...more, url: at(url) })),
    chapters: chapters && at(chapters),
  }
  const url = at(media)
  await harness.start<CaptionsOrder>('captions', findCaptions, { url, language, linked })
  const result = resultOf(harness, 'captions')
  const stored = result.transcript && readStored(harness.fake.stored(result.transcript))
  return { ...result, segments: stored?.segments }
}

test.each([
  ['one.vtt', 'From VTT.'],
  ['one.srt', 'From SRT.'],
  ['one.json', 'From JSON.'],
  ['one.html', 'From HTML.'],
])('%s is the transcript of its episode', async (name, text) => {
  const { segments, facts } = await run([file(name, 'en')])
  expect(segments).toMatchObject([{ text }])
  expect(facts).toMatchObject({ language: 'en', durationSeconds: expect.closeTo(6, 0) })
})

const languages = [file('one.vtt', 'en'), file('de.srt', 'de-DE')]

test.each([
  ['the best format', ['one.html', 'one.json', 'one.srt', 'one.vtt'].map((name) => file(name)), null, 'From VTT.'],
  ['the language that is asked for', languages, 'de', 'Aus SRT.'],
  ['no transcript in another language', languages, 'ja', undefined],
])('%s is taken', async (_, transcripts, language, text) => {
  const { segments } = await run(transcripts, { language })
  expect(segments?.[0]?.text).toBe(text)
})

const always = 'times=always&retryAfter=0'

/** Path and query, or a whole URL. */
const unreadable = {
  'at a private address': 'http://10.0.0.1/one.vtt',
  'that redirects to a private address': 'one.vtt?redirectTo=http%3A%2F%2F10.0.0.1%2F',
  'of a host without an address': 'http://nowhere.invalid/one.vtt',
  'that is missing': 'nowhere.vtt',
  'that is forbidden': 'one.vtt?status=403',
  'that is rate-limited': `one.vtt?status=429&${always}`,
  'whose server fails': `one.vtt?status=503&${always}`,
  'that redirects for ever': 'one.vtt?redirect=9',
  'whose connection is reset': `one.vtt?cutAfter=5&${always}`,
  'of which only a half is sent': 'one.vtt?secondHalf',
  'that is broken': 'broken.json',
  'that is empty': 'empty.vtt',
  'that has no text': 'without-cues.vtt',
  'that is a page': 'page.vtt',
  'that is a picture': 'still.png',
  'that is too large': 'large.vtt',
}
const rows = Object.entries(unreadable)

describe('a file that cannot be read counts as none', () => {
  test.each(rows)(
    'after a transcript %s the next is read, and instead of such chapters those of the media',
    async (_, name) => {
      const { chapters, segments } = await run([file(name), file('one.html')], { chapters: file(name).url })
      expect(segments).toMatchObject([{ text: 'From HTML.' }])
      expect(chapters).toEqual([])
    },
  )

  // Captions of a page that are refused in such a way are waited for.
  test.each(['that is forbidden', 'that is rate-limited', 'whose server fails', 'that has no text'] as const)(
    'after a transcript %s, the item has no captions that it could wait for',
    async (kind) => {
      expect(await run([file(unreadable[kind])])).toMatchObject({
        transcript: null,
        withheld: null,
        durationSeconds: expect.closeTo(6, 0),
      })
    },
  )

  test('after many, the captions of the media are read', async () => {
    const many = Array.from({ length: 7 }, () => file('large.vtt', 'en'))
    const { segments } = await run(many, { media: '/page/video.html' })
    expect(segments?.[0]).toMatchObject({ text: 'A tone.' })
  })
})

test('its chapters are those of the feed; the last ends with the media, and one without a title is numbered', async () => {
  const { chapters } = await run([file('one.vtt')], { chapters: 'chapters.json' })
  expect(chapters).toEqual([
    { title: 'Start', startSeconds: 0, endSeconds: 3 },
    { title: 'Chapter 2', startSeconds: 3, endSeconds: expect.closeTo(6, 0) },
  ])
})

describe('the limits of linked files', () => {
  const stopped = new AbortController()
  const hanging = async (limits: Parameters<typeof withLinkedLimits>[1]) => {
    const { origin, egress } = await anOrigin()
    const context = withLinkedLimits({ egress, signal: stopped.signal }, limits)
    return fetchSmallFile({ url: `${origin.url}/media/faststart.mp4?holdAfter=0`, headers: {} }, context, 1_000_000)
  }

  test('a file that takes too long is an unreadable one', async () => {
    await expect(hanging({ timeoutMs: 50 })).rejects.toBeInstanceOf(SourceFailure)
  })

  test('a step that is stopped meanwhile has its own reason', async () => {
    const fetching = hanging({})
    stopped.abort(new Error('canceled'))
    await expect(fetching).rejects.toThrow('canceled')
  })
})
