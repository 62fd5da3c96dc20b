import { expect, test, vi } from 'vitest'
import { newCaller } from '../../support/caller.ts'
import { film } from '../../support/film.ts'

const caller = await newCaller()
const metadataOf = (url: string) => caller.get(`/metadata?url=${encodeURIComponent(url)}`)

test('metadata has the facts of a source and the prices of imports and transcriptions', async () => {
  const { status, body } = await metadataOf('https://media.example/film.mp4')
  expect(status).toBe(200)
  const { downloads: _, durationSeconds: __, readBy: ___, speech: ____, ...facts } = film
  expect(body.data).toEqual({
    ...facts,
    isPlaylist: false,
    extractor: 'youtube',
    extractorVersion: '2026.10.26',
    duration: 90,
    durationIsEstimate: false,
    estimate: {
      imports: [
        {
          includeVideo: false,
          includeAudio: true,
          videoQuality: '1080p',
          audioQuality: 'best',
          downloadBytes: 1_000_000,
          costInDollars: 0.01,
          isEstimate: true,
        },
        {
          includeVideo: true,
          includeAudio: true,
          videoQuality: '1080p',
          audioQuality: 'best',
          downloadBytes: 15_342_100,
          costInDollars: 0.153421,
          isEstimate: false,
        },
      ],
      transcription: { platformCaptions: 0.01, builtin: 0.03, provider: 0.03, audioDownload: 0.01, isEstimate: true },
    },
  })
})

test('metadata of a playlist has its title, its count and its first 50 entries', async () => {
  const { status, body } = await metadataOf('https://media.example/playlists/70')
  const { entries, ...facts } = body.data
  expect([status, facts]).toEqual([200, { isPlaylist: true, title: 'A playlist', count: 70 }])
  expect(entries).toHaveLength(50)
  expect(entries[49]).toEqual({ url: 'https://media.example/films/49.mp4', title: 'Film 49', duration: 60 })
})

test('unknown values are null', async () => {
  const { body } = await metadataOf('https://media.example/unknown')
  expect(body.data).toMatchObject({ duration: null, fileSizeBytes: null, contentType: null, captions: [] })
  expect(body.data.estimate.imports[0]).toMatchObject({ downloadBytes: null, costInDollars: null })
  expect(body.data.estimate.transcription).toEqual({
    platformCaptions: null,
    builtin: null,
    provider: null,
    audioDownload: null,
    isEstimate: false,
  })
})

const speechOf = (seconds: number | null, bytes: number | null, isEstimate = false) => ({
  durationSeconds: seconds,
  durationIsEstimate: false,
  downloadBytes: bytes,
  downloadIsEstimate: isEstimate,
})

test.each([
  ['of its own rendition, not that of an import', speechOf(600, 2_800_000), [0.2, 0.1, 0.028, false]],
  ['of an estimated size', speechOf(600, 2_800_000, true), [0.2, 0.1, 0.028, true]],
  ['of a typical size, as a job would quote it', speechOf(90, null, true), [0.03, 0.03, 0.0144, true]],
  ['of a known size and an unknown length', speechOf(null, 2_800_000), [null, null, 0.028, false]],
  ['of a source without sound, which has none', null, [null, null, null, false]],
])('the price of speech recognition is that %s', async (_, speech, [builtin, provider, audioDownload, isEstimate]) => {
  const { body } = await metadataOf(`https://media.example/film.mp4?speech=${JSON.stringify(speech)}`)
  const prices = { platformCaptions: 0.01, builtin, provider, audioDownload, isEstimate }
  expect(body.data.estimate.transcription).toEqual(prices)
  expect(body.data).not.toHaveProperty('speech')
})

test('metadata is free and starts no job', async () => {
  const other = await newCaller(0)
  expect((await other.get('/metadata?url=https://media.example/film.mp4')).status).toBe(200)
  expect((await other.get('/jobs')).body.data.jobs).toEqual([])
})

test.each([
  ['SOURCE_PRIVATE', false],
  ['SOURCE_RATE_LIMITED', true],
  ['TIMED_OUT', true],
])('a source that fails with %s is refused with that reason', async (code, retryable) => {
  const { status, body } = await metadataOf(`https://media.example/fails/${code}`)
  expect([status, body.code, body.reason, body.retryable]).toEqual([400, 'SOURCE_UNREADABLE', code, retryable])
  expect(body.error).toBe(`it fails with ${code}`)
})

test('when the container has no place in time, metadata says when to try again', async () => {
  const { status, headers, body } = await metadataOf('https://media.example/busy')
  expect([status, body.code, body.retryAfter]).toEqual([503, 'SERVICE_BUSY', 5])
  expect(headers.get('retry-after')).toBe('5')
})

test('an unknown code from a newer container is reported as INTERNAL', async () => {
  const { status, body } = await metadataOf('https://media.example/fails/SOURCE_ON_FIRE')
  expect([status, body.reason]).toEqual([400, 'INTERNAL'])
})

test.each([
  'http://localhost/',
  'https://inside.example/',
  'https://status.example/404',
  'https://media.example/fails/SOURCE_NOT_FOUND',
  'https://media.example/fails/SOURCE_UNREACHABLE',
])('%s is UNREACHABLE_URL, as it would be for an import', async (url) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const { status, body } = await metadataOf(url)
  expect({ status, ...body, requestId: '' }).toEqual({
    status: 400,
    success: false,
    error: 'The URL could not be reached.',
    code: 'UNREACHABLE_URL',
    requestId: '',
  })
})

test.each(['', '?url=', '?url=media.example', '?url=ftp://media.example/', '?url=https://me:secret@media.example/'])(
  'metadata with the query "%s" is refused',
  async (query) => {
    const { status, body } = await caller.get(`/metadata${query}`)
    expect([status, body.code, body.details[0].path]).toEqual([400, 'INVALID_REQUEST', 'url'])
  },
)
