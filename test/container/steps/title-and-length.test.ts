import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Source } from '../../../container/source/source.ts'
import { titleAndChapters } from '../../../container/steps/chapters.ts'
import type { AudioOrder } from '../../../domain/protocol/protocol.ts'
import { ffmpeg, scratchFolder } from '../audio/recordings.ts'
import { captionsHarness } from './captions-harness.ts'
import { createStepHarness, prepareAudio, resultOf } from './step-harness.ts'

const folder = scratchFolder()
const { foundAt, noneAt } = captionsHarness(folder)
const web = createStepHarness(folder)
const file = (name: string) => join(folder, name)

const metadata = `;FFMETADATA1
title=A | talk \\\\ about “tea”
[CHAPTER]
TIMEBASE=1/1000
START=0
END=30000
title=One | two
[CHAPTER]
TIMEBASE=1/1000
START=30000
END=60000
title=Zwei
`
const subtitles = `1
00:00:01,000 --> 00:00:02,000
Hello.
`
const title = 'A | talk \\ about “tea”'
const chapters = [
  { title: 'One | two', startSeconds: 0, endSeconds: 30 },
  { title: 'Zwei', startSeconds: 30, endSeconds: expect.closeTo(60, 0) },
]

const SECONDS = 60

beforeAll(() => {
  writeFileSync(file('metadata.txt'), metadata)
  writeFileSync(file('subtitles.srt'), subtitles)
  const tone = ['-f', 'lavfi', '-t', `${SECONDS}`, '-i', 'sine=440:sample_rate=16000']
  const noise = ['-f', 'lavfi', '-t', `${SECONDS}`, '-i', 'testsrc2=size=320x180:rate=5']
  const named = ['-map_metadata', '1', '-map_chapters', '1', '-b:a', '32k']
  const about = ['-i', file('metadata.txt'), '-map', '0', ...named]
  ffmpeg([...tone, ...about, file('talk.m4a')])
  ffmpeg([...tone, ...about, file('talk.mp3')])
  const both = ['-i', file('metadata.txt'), '-i', file('subtitles.srt'), '-map', '0', '-map', '2']
  ffmpeg([...tone, ...both, ...named, file('talk.mkv')])
  ffmpeg([...tone, '-b:a', '64k', '-f', 'adts', file('without-length.aac')])
  const encode = ['-map', '0', '-map', '1', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '10', '-b:v', '300k']
  ffmpeg([...tone, ...noise, ...encode, file('film.mp4')])
  const fragments = ['-c', 'copy', '-movflags', '+frag_keyframe+empty_moov+default_base_moof']
  ffmpeg(['-i', file('film.mp4'), ...fragments, file('fragmented.mp4')])
  const start = ['-i', file('talk.m4a'), '-t', '6', '-map', '0:a']
  ffmpeg([...start, ...fragments, '-frag_duration', '1000000', file('short.mp4')])
})

const start = async (path: string) => {
  const pieces = { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 } as const
  await web.start<AudioOrder>('audio', prepareAudio, { url: `${web.origin.url}${path}`, pieces })
  return resultOf(web, 'audio')
}

const named = (own: Partial<Source>) => ({ title: 'talk-2026', chapters: [], direct: true, ...own })
const inFile = { title: 'A talk', chapters: [{ title: '', startSeconds: 0, endSeconds: 5 }] }
const onPage = { title: 'A page', chapters: [{ title: 'On the page', startSeconds: 0, endSeconds: 9 }], direct: false }
const stored = { title: 'as imported', contentType: 'audio/mp4', sizeBytes: 1, durationSeconds: null }
const numbered = [{ title: 'Chapter 1', startSeconds: 0, endSeconds: 5 }]

test.each([
  ['a direct file has its own', {}, named({}), inFile, { title: 'A talk', chapters: numbered }],
  ['a direct file without a title has that of its URL', {}, named({}), null, { title: 'talk-2026', chapters: [] }],
  ['a page is right about both', {}, onPage, inFile, { title: 'A page', chapters: onPage.chapters }],
  [
    'a page without chapters has those of its file',
    {},
    { ...onPage, chapters: [] },
    inFile,
    { title: 'A page', chapters: numbered },
  ],
  [
    'a stored file has the title that its owner knows',
    { stored },
    named({ title: stored.title }),
    inFile,
    { title: 'as imported', chapters: numbered },
  ],
])('%s', (_, order, source, file, expected) => expect(titleAndChapters(order, source, file)).toEqual(expected))

test('a clip has the chapters that it is in, under their own titles', () => {
  const chapters = [0, 10, 20].map((startSeconds) => ({ title: '', startSeconds, endSeconds: startSeconds + 10 }))
  const clip = { startSeconds: 12, endSeconds: 20 }
  const found = titleAndChapters({ clip }, { title: 'a', chapters, direct: false }, null)
  expect(found.chapters).toEqual([{ title: 'Chapter 2', startSeconds: 10, endSeconds: 20 }])
})

test('a thousand chapters with long titles are cut to what is stored with a job', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => ({
    title: '👍'.repeat(250),
    startSeconds: at,
    endSeconds: at + 1,
  }))
  const { chapters } = titleAndChapters({}, named({ chapters: many }), null)
  expect([chapters.length, chapters[0]?.title]).toEqual([500, '👍'.repeat(100)])
})

describe('a file with a title and chapters', () => {
  test.each(['talk.m4a', 'talk.mp3', 'talk.mkv'])('%s: a transcription of its audio has them', async (name) => {
    expect(await start(`/media/${name}`)).toMatchObject({ title, chapters })
  })

  test('and captions: the transcript has them too, from the first bytes', async () => {
    expect(await foundAt('/media/talk.mkv')).toMatchObject({ text: 'Hello.', title, chapters })
  })
})

test('a file without a title is named after its URL, and has no chapters', async () => {
  expect(await start('/media/without-length.aac')).toMatchObject({ title: 'without-length', chapters: [] })
})

describe('a film in fragments, of which none says how long it is', () => {
  test('has a length that is estimated from its size and its first seconds', async () => {
    const found = await noneAt('/media/fragmented.mp4')
    expect(found).toMatchObject({ durationIsEstimate: true, audioBytes: statSync(file('fragmented.mp4')).size })
    expect(found.durationSeconds).toBeGreaterThan(SECONDS * 0.7)
    expect(found.durationSeconds).toBeLessThan(SECONDS * 1.4)
  })

  test('has an exact length if the first bytes are all of it', async () => {
    const found = await noneAt('/media/short.mp4')
    expect(found.durationSeconds).toBeCloseTo(6, 0)
    expect(found).not.toHaveProperty('durationIsEstimate')
  })
})

test('audio without a header has an estimated length', async () => {
  const found = await noneAt('/media/without-length.aac')
  expect(found.durationSeconds).toBeGreaterThan(SECONDS * 0.7)
  expect(found.durationSeconds).toBeLessThan(SECONDS * 1.4)
})
