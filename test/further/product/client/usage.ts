import {
  type Finished,
  Haul,
  HaulJobError,
  type ImportResult,
  type Job,
  type ReadyUpload,
  type SearchResult,
  type StartedJob,
  type TranscriptionResult,
  type Watch,
} from 'haul-client'

/** Programs of users, which must compile with the strictest settings. Nothing runs them. */
const haul = new Haul({ apiKey: 'key', baseUrl: 'https://haul.example.com' })

const finished: Finished<ImportResult> = await haul.import('https://example.com/film', {
  videoQuality: '720p',
  clip: { start: '1:00', end: 90 },
  signal: undefined,
  onProgress: ({ stage, percent, bytesPerSecond, etaSeconds }) => {
    const numbers: (number | null)[] = [percent, bytesPerSecond, etaSeconds]
    console.log(stage, numbers)
  },
})
const started: StartedJob = await haul.import(new URL('https://example.com/film'), { wait: false })
const { files = [], complete = true } = await haul.import('https://example.com/talk', {
  captions: ['en', 'de'],
  transcribe: { mode: 'auto' },
  files: ['info', 'chapters'],
  formats: ['vtt', 'txt'],
})
for (const { kind, language, url, quote } of files) console.log(complete, kind, language, url, quote?.estimatedMinutes)
const transcribed: Finished<TranscriptionResult> = await haul.transcribe(
  { file: new Blob(['…']) },
  { speakers: { max: 2 } },
)
await haul.transcribe({ importId: started.jobId }, { provider: 'builtin', maxCostDollars: 1, words: true })
const upload: ReadyUpload = await haul.uploads.create('film.mp4')
await haul.transcribe({ uploadId: upload.uploadId })
const words = (await haul.transcript(transcribed.jobId, 'json')).segments[0]?.words?.[0]?.confidence
const text: string = await haul.transcript(transcribed.jobId, 'md', { chapters: true })

// What a completed job always has needs no check.
const { text: heard, data } = await haul.transcribe('https://example.com/talk')
const heardTexts: string[] = [heard, ...data.segments.map((segment) => segment.text)]
const links: string[] = [finished.mediaUrl, (await haul.jobs.wait('imp_1')).mediaUrl]
const later: string = (await haul.jobs.wait('trn_1')).text
// With a `wait` that is not known, the job may only have started.
const either: StartedJob | Finished<TranscriptionResult> = await haul.transcribe('https://example.com/talk', {
  wait: links.length > 0,
})
console.log(heardTexts, later, either.jobId)

const { batchId } = await haul.batches.create({ playlistUrl: 'https://example.com/feed.xml', transcribe: {} })
for await (const { status, url } of haul.batches.items(batchId, { status: 'failed' })) console.log(status, url)
for await (const { jobId, type } of haul.jobs.list({ type: 'import', limit: 5 })) console.log(jobId, type)
const found: SearchResult[] = []
for await (const result of haul.search('"lease expires"', { after: '2026-11-21T00:00:00Z', sort: 'newest', limit: 5 }))
  found.push(result)
const marked: string[] = found.flatMap(({ snippet, matches }) =>
  matches.map(([at, length]) => snippet.slice(at, at + length)),
)
await haul.updateAccount({ index: (await haul.account()).index })
console.log(marked, (await haul.rebuildSearch()).status)
const [model] = (await haul.models()).filter(({ languages }) => languages === 'all' || languages.includes('de'))
await haul.transcribe('https://example.com/talk', { mode: 'speech', model: `${model?.name}`, wait: false })
const { watchId } = await haul.watches.create({
  url: 'https://example.com/feed.xml',
  import: { captions: ['en'], storageKey: '{title}.{ext}' },
  filter: { notTitle: ['trailer'] },
})
for await (const { publishedAt, code } of haul.watches.items(watchId, { status: 'failed' }))
  console.log(publishedAt, code)
const watch: Watch = await haul.watches.update(watchId, { import: null, filter: null, waiting: 'drop' })
await haul.watches.remove(watch.watchId)
const job: Job = await haul.jobs.get(finished.jobId)
const event = await haul.webhooks.verify('{}', new Headers(), 'whsec_')
if (event.type === 'import.completed') console.log(event.data.result?.mediaUrl, job.status, text, words)
for await (const { id, type, data } of haul.events()) {
  console.log(id, type, type === 'job.started' && data.createdAt)
  if (type === 'watch.item') console.log(data.itemId, data.seconds)
}

const { apiKey, keyId } = await haul.keys.create({ name: 'ci', scopes: ['read', 'transcribe'], dollarsPerMonth: 5 })
for await (const { prefix, spentThisMonthDollars } of haul.keys.list())
  console.log(apiKey, prefix, spentThisMonthDollars)
await haul.keys.update(keyId, { expiresAt: '2027-01-31T00:00:00Z', dollarsPerMonth: null })
await haul.keys.remove(keyId)

const metadata = await haul.metadata('https://example.com/list')
if (metadata.isPlaylist) console.log(metadata.entries[0]?.url)
else console.log(metadata.estimate.transcription.builtin)

try {
  await haul.jobs.wait('imp_1', { cancelOnAbort: true })
} catch (error) {
  if (error instanceof HaulJobError) console.log(error.code === 'NO_AUDIO', error.quote?.estimatedCostDollars)
}

// @ts-expect-error: a job that is not awaited has no text yet
console.log((await haul.transcribe('https://example.com/talk', { wait: false })).text)
// @ts-expect-error: an unknown quality
haul.import('https://example.com/film', { videoQuality: 'sharp' })
// @ts-expect-error: an unknown kind of file
haul.import('https://example.com/film', { files: ['poster'] })
// @ts-expect-error: a misspelled option
haul.import('https://example.com/film', { storeagePath: 'films' })
// @ts-expect-error: an unknown order
haul.search('lease', { sort: 'oldest' })
// @ts-expect-error: an unknown scope
haul.keys.create({ name: 'ci', scopes: ['write'] })
// @ts-expect-error: a source of two
haul.transcribe({ uploadId: 'upl_1', importId: 1 })
