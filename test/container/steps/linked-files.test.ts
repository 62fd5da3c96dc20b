import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findCaptions } from '../../../container/steps/captions.ts'
import type { CaptionsOrder, LinkedFile } from '../../../domain/protocol/protocol.ts'
import { fixturesRoot } from '../../origin/fixtures.ts'
import { readStored } from '../../stored-transcript.ts'
import { createStepHarness, resultOf } from './step-harness.ts'

/** An episode whose feed names transcripts and chapters. */
const root = mkdtempSync(join(tmpdir(), 'haul-linked-'))
const harness = createStepHarness(root)
beforeAll(async () => {
  await copyFile(join(fixturesRoot, 'tone.mp3'), join(root, 'tone.mp3'))
  const srt = '1\n00:00:00,500 --> 00:00:02,000\nFrom SRT.\n'
  const files: Record<string, string> = {
    'one.vtt': 'WEBVTT\n\n00:00.500 --> 00:02.000\nFrom VTT.\n',
    'one.srt': srt,
    'de.srt': srt.replace('From', 'Aus'),
    'one.json': JSON.stringify({ segments: [{ startTime: 0.5, endTime: 2, body: 'From JSON.', speaker: 'Ann' }] }),
    'one.html': '<cite>Ann:</cite><time>0:01</time><p>From HTML.</p>',
    'broken.json': '{"segments": [',
    'chapters.json': JSON.stringify({ chapters: [{ startTime: 0, title: 'Start' }, { startTime: 3 }] }),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Its URL begins with the origin's, which is known later. */
const file = (name: string, language: string | null = null): LinkedFile => ({
  url: `/media/${name}`,
  format: name.split('.').at(-1) as LinkedFile['format'],
  language,
})

const run = async (
  transcripts: LinkedFile[],
  { language = null as string | null, chapters = null as string | null } = {},
) => {
  const at = ({ url, ...more }: LinkedFile) => ({ ...more, url: new URL(url, harness.origin.url).href })
  const linked = { transcripts: transcripts.map(at), chapters }
  const url = `${harness.origin.url}/media/tone.mp3`
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

test('one that is missing, broken, or at an address that is forbidden, is followed by the next', async () => {
  const forbidden = { ...file('one.vtt'), url: 'http://10.0.0.1/one.vtt' }
  const { segments } = await run([forbidden, file('nowhere.vtt'), file('broken.json'), file('one.html')])
  expect(segments).toMatchObject([{ text: 'From HTML.' }])
})

test('its chapters are those of the feed; the last ends with the media, and one without a title is numbered', async () => {
  const { chapters } = await run([file('one.vtt')], { chapters: `${harness.origin.url}/media/chapters.json` })
  expect(chapters).toEqual([
    { title: 'Start', startSeconds: 0, endSeconds: 3 },
    { title: 'Chapter 2', startSeconds: 3, endSeconds: expect.closeTo(6, 0) },
  ])
})

test('chapters that cannot be read are those of the file', async () => {
  const broken = await run([file('one.vtt')], { chapters: `${harness.origin.url}/media/broken.json` })
  expect(broken.chapters).toEqual([])
  expect(harness.log.map(({ event }) => event)).toContain('chapters not readable')
})
