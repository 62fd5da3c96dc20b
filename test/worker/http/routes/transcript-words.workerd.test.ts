import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Segment } from '../../../../domain/words/segment.ts'
import { eventually } from '../../support/clock.ts'
import { type Caller, completedWithCaptions, recognized } from '../../support/transcriptions.ts'

/** Long enough that it is read in several chunks. */
const segments: Segment[] = Array.from({ length: 3_000 }, (_, index) => ({
  start: index,
  end: index + 1,
  text: `word ${index}`,
  speaker: index % 2 === 0 ? 'A' : 'B',
  words: [
    { start: index, end: index + 0.5, text: 'word', confidence: 0.9 },
    { start: index + 0.5, end: index + 1, text: `${index}` },
  ],
}))
const plain = segments.map(({ words, ...segment }) => segment)
const text = plain.map((segment) => segment.text).join(' ')
const about = {
  title: 'A page & its film',
  chapters: [
    { title: 'Start', startSeconds: 0, endSeconds: 10 },
    { title: 'End', startSeconds: 10, endSeconds: 3_000 },
  ],
}
const facts = {
  source: 'builtin',
  title: about.title,
  language: 'en',
  duration: 90,
  chapters: [
    { title: 'Start', start: 0, end: 10 },
    { title: 'End', start: 10, end: 3_000 },
  ],
  extractor: null,
  extractorVersion: null,
  vocabulary: false,
  wordsAvailable: true,
}

describe('a transcript with words', () => {
  let caller: Caller
  let jobId: string
  let key: string
  beforeAll(async () => {
    ;({ caller, jobId, key } = await recognized(segments, about))
  })
  const file = async (query: string) => {
    const response = await caller.fetch(`/transcribe/transcript?id=${jobId}${query}`)
    return { status: response.status, text: await response.text() }
  }

  test.each([
    ['the status', '/transcribe/status?id=', ''],
    ['the status with words=0', '/transcribe/status?id=', '&words=0'],
    ['the job', '/jobs/', ''],
  ])('%s has its title, its chapters and its segments, but not its words', async (_, path, more) => {
    const { body } = await caller.callApi('GET', `${path}${jobId}${more}`)
    expect(body.data.result).toMatchObject({ text, ...facts, data: { segments: plain } })
    expect(JSON.stringify(body)).not.toContain('"words":')
  })

  test('the status has the words for words=1', async () => {
    const { body } = await caller.callApi('GET', `/transcribe/status?id=${jobId}&words=1`)
    expect(body.data.result).toMatchObject({ text, ...facts, data: { segments } })
  })

  test('the JSON file has everything that is known of it', async () => {
    expect(JSON.parse((await file('')).text)).toEqual({ text, ...facts, segments })
  })

  test('events have no words', async () => {
    const events = await (await caller.fetch(`/jobs/${jobId}/events`)).text()
    expect(events).toContain('"wordsAvailable":true')
    expect(events).not.toContain('"words":')
  })

  test.each([
    ['&format=txt', /^word 0\n\nword 1\n\nword 2\n/],
    ['&format=txt&speakers=1&chapters=1', /^Start\n\nA: word 0\n\nB: word 1\n[\s\S]*B: word 9\n\nEnd\n\nA: word 10\n/],
    ['&format=md&chapters=1', /^# A page \\& its film\n\n## Start\n\n\*\*\[0:00\]\*\* word 0\n/],
    [
      '&format=tsv',
      /^start\tend\ttext\tspeaker\n0\t1\tword 0\tA\n1\t2\tword 1\tB\n[\s\S]*\n2999\t3000\tword 2999\tB\n$/,
    ],
    ['&format=srt&speakers=1', /^1\r\n00:00:00,000 --> 00:00:01,000\r\nA: word 0\r\n/],
    ['&format=vtt&maxLines=1&maxLineChars=20', /^WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nword 0\n/],
  ])('%s is written from its segments', async (query, expected) => {
    expect(await file(query)).toEqual({ status: 200, text: expect.stringMatching(expected) })
  })

  test('is listed with its title', async () => {
    const [listed] = (await caller.callApi('GET', '/jobs')).body.data.jobs
    expect(listed).toMatchObject({ jobId, title: about.title })
  })

  test.each([
    'format=docx',
    'words=yes',
    'speakers=2',
    'chapters=true',
    'maxLineChars=19',
    'maxLineChars=101',
    'maxLineChars=',
    'maxLines=0',
    'maxLines=4',
    'maxLines=1.5',
  ])('%s is refused', async (query) => {
    const path = query.startsWith('words') ? '/transcribe/status' : '/transcribe/transcript'
    const { status, body } = await caller.callApi('GET', `${path}?id=${jobId}&${query}`)
    expect([status, body.code, body.details?.[0].path]).toEqual([400, 'INVALID_REQUEST', query.split('=')[0]])
  })

  test('is removed with its words', async () => {
    const removed = (await caller.callApi('DELETE', `/jobs/${jobId}`)).body.data
    expect(removed.result).toMatchObject(facts)
    expect((await file('')).status).toBe(410)
    const { body } = await caller.callApi('GET', `/transcribe/status?id=${jobId}&words=1`)
    expect(body.data.result).not.toHaveProperty('data')
    await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
  })
})

test('captions have no words: words=1 changes nothing', async () => {
  const { caller, jobId } = await completedWithCaptions()
  const [without, asked] = await Promise.all(
    ['0', '1'].map((words) => caller.callApi('GET', `/transcribe/status?id=${jobId}&words=${words}`)),
  )
  expect(asked?.body).toEqual(without?.body)
  expect(asked?.body.data.result).toMatchObject({ wordsAvailable: false, title: null })
  const file = await (await caller.fetch(`/transcribe/transcript?id=${jobId}`)).json()
  expect(file).toMatchObject({ wordsAvailable: false })
})
