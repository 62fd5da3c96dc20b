import { expect, test } from 'vitest'
import { findCaptions } from '../../../container/steps/captions.ts'
import { fetchMedia } from '../../../container/steps/fetch.ts'
import type {
  CaptionsOrder,
  Clip,
  FetchOrder,
  ReadCaptions,
  WantedCaptions,
} from '../../../domain/protocol/protocol.ts'
import { readStored } from '../../support/stored-transcript.ts'
import { createStepHarness, resultOf } from './step-harness.ts'

/** The captions that a step makes files of: from the page, or from inside the file that it has downloaded. */
const web = createStepHarness()

const everything = { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' } as const

const fetched = async (path: string, captions: WantedCaptions, more: Partial<FetchOrder> = {}) => {
  const url = `${web.origin.url}${path}`
  await web.start<FetchOrder>('fetch', fetchMedia, { url, selection: everything, captions, ...more })
  return resultOf(web, 'fetch')
}

const textsOf = ({ upload, files, transcript }: ReadCaptions) => {
  const stored = upload && web.fake.stored(upload)
  return [...files, ...(transcript ? [transcript] : [])].map((track) => {
    if ('code' in track) return [track.language, track.code]
    const { offset, length } = track.range
    const { text, segments } = readStored(stored?.subarray(offset, offset + length) ?? null)
    expect(track.facts.segments).toBe(segments.length)
    return [track.language, text, segments[0]?.start]
  })
}

const inside = ['A tone, inside. Still a tone. The last tone.', 'Ein Ton, innen. Immer noch ein Ton.']

test.each(['mov_text.mp4', 'subrip.mkv', 'webvtt.webm'])(
  'captions inside %s are read from the disk, and its origin sends no more than the file',
  async (name) => {
    const before = web.origin.sentBytes
    const { captions, facts } = await fetched(`/media/subtitled/${name}`, { files: ['en', 'de', 'fr'] })
    expect(captions && textsOf(captions)).toEqual([
      ['en', inside[0], expect.any(Number)],
      ['de', inside[1], expect.any(Number)],
      ['fr', 'NOT_AT_SOURCE'],
    ])
    expect(web.origin.sentBytes - before).toBe(facts.downloadedBytes)
    expect(facts.downloadedBytes).toBe(facts.sizeBytes)
  },
)

test('`all` is every language inside a file, and the transcript is one of its tracks', async () => {
  const { captions } = await fetched('/media/subtitled/mov_text.mp4', { files: 'all', transcript: { language: 'de' } })
  expect(captions && textsOf(captions).map(([language]) => language)).toEqual(['en', 'de', 'de'])
  const ranges = captions?.files.map((track) => 'range' in track && track.range)
  expect(captions?.transcript).toMatchObject({ range: ranges?.[1] })
  // All of them are one object.
  expect(web.fake.uploads.filter(({ kind }) => kind === 'tracks')).toHaveLength(1)
})

test('captions of a clip have the times of its file, which begins at a keyframe', async () => {
  const clip: Clip = { startSeconds: 2.6, endSeconds: 4 }
  const { captions, facts } = await fetched('/media/subtitled/mov_text.mp4', { files: ['en'] }, { clip })
  const [, text, start] = (captions && textsOf(captions)[0]) ?? []
  expect(inside[0]).toContain(text)
  expect(start).toBeGreaterThanOrEqual(0)
  expect(start).toBeLessThan(facts.durationSeconds)
})

test('captions of a clip whose origin sends no ranges are read from the disk', async () => {
  const before = web.origin.sentBytes
  const clip: Clip = { startSeconds: 2.6, endSeconds: 4 }
  const { captions, facts } = await fetched('/media/subtitled/mov_text.mp4?noRange', { files: ['en'] }, { clip })
  expect(captions?.files).toMatchObject([{ language: 'en', origin: 'manual' }])
  expect(web.origin.sentBytes - before).toBeLessThanOrEqual(facts.downloadedBytes + 1)
})

test('captions that are asked for twice are one file', async () => {
  const { captions } = await fetched('/media/subtitled/mov_text.mp4', { files: ['en', 'EN', 'de'] })
  expect(captions && textsOf(captions).map(([language]) => language)).toEqual(['en', 'de'])
})

test('tracks that are missing or empty fail alone, and say why', async () => {
  const asked = { files: ['fr', 'es', 'de'], transcript: { language: 'fr' } }
  const { captions, media } = await fetched('/page/stale.html', asked)
  expect(web.fake.stored(media)).not.toBeNull()
  expect(captions && textsOf(captions)).toEqual([
    ['fr', 'SOURCE_NOT_FOUND'],
    ['es', 'NOT_AT_SOURCE'],
    ['de', 'Ein Ton. Immer noch ein Ton.', 0.5],
    // No provider would find other captions than these.
    ['fr', 'NOT_AT_SOURCE'],
  ])
})

test('the captions step reads more captions beside its transcript', async () => {
  const url = `${web.origin.url}/media/subtitled/mov_text.mp4`
  await web.start<CaptionsOrder>('captions', findCaptions, { url, language: 'en', files: ['de', 'fr'] })
  const { transcript, tracks } = resultOf(web, 'captions')
  expect(readStored(transcript && web.fake.stored(transcript)).text).toBe(inside[0])
  expect(tracks && textsOf(tracks)).toEqual([
    ['de', inside[1], expect.any(Number)],
    ['fr', 'NOT_AT_SOURCE'],
  ])
})

test('a track that is the transcript of the captions step and one of its files is read once', async () => {
  const from = web.origin.requests.length
  const url = `${web.origin.url}/page/stale.html`
  await web.start<CaptionsOrder>('captions', findCaptions, { url, language: 'de', files: 'all' })
  const { tracks } = resultOf(web, 'captions')
  expect(tracks?.files.map(({ language }) => language)).toContain('de')
  const paths = web.origin.requests.slice(from).flatMap(({ path }) => (path.endsWith('.vtt') ? [path] : []))
  expect(paths).toEqual([...new Set(paths)])
})

test('what a source says of itself is reported if the order asks for it', async () => {
  const { about, chapters } = await fetched('/media/faststart.mp4', {}, { about: true })
  expect(about).toMatchObject({ id: expect.stringMatching(/^[\w-]{11}$/), uploader: null, tags: [] })
  expect(chapters).toEqual([])
})

test('an order that does not ask for it gets nothing of what a source says', async () => {
  expect(await fetched('/media/faststart.mp4', {})).not.toHaveProperty('about')
})
