import { Haul, HaulApiError, HaulJobError } from 'haul-client'

/**
 * A program of a user of the client. It runs the same in Node, Bun, Deno, workerd and a browser, so it uses only what all
 * of them have. Returns what the test compares.
 */
export const runScenario = async ({ apiKey, baseUrl, media, subtitled, slow, webhook, path }) => {
  const haul = new Haul({ apiKey, baseUrl })
  const thrown = (promise) =>
    promise.then(
      () => 'nothing',
      (error) => error,
    )

  const imported = await haul.import(media, { includeVideo: false })
  const transcribed = await haul.transcribe(subtitled, { language: 'en' })
  const text = await haul.transcript(transcribed.jobId, 'txt')
  const { segments } = await haul.transcript(transcribed.jobId, 'json')

  const file = path ?? new File([await (await fetch(imported.mediaUrl)).arrayBuffer()], 'sound.m4a')
  const percents = []
  const upload = await haul.uploads.create(file, { onProgress: ({ percent }) => percents.push(percent) })
  const uploadFailure = await thrown(haul.transcribe({ uploadId: upload.uploadId }))
  const fileFailure = await thrown(haul.transcribe({ file }))

  const urls = [media, `${media}.missing`]
  const { batchId, total } = await haul.batches.create({ urls, import: { includeVideo: false } })
  const batch = await haul.batches.wait(batchId)
  const items = await all(haul.batches.items(batchId))
  const batches = await all(haul.batches.list({ limit: 1 }))

  const { watchId, status } = await haul.watches.create({ url: media })
  const paused = await haul.watches.pause(watchId)
  const watches = await all(haul.watches.list())
  await haul.watches.remove(watchId)
  const removed = await thrown(haul.watches.get(watchId))

  const started = await haul.import(slow, { wait: false, idempotencyKey: 'slow' })
  const repeated = await haul.import(slow, { wait: false, idempotencyKey: 'slow' })
  const timedOut = await thrown(haul.jobs.wait(started.jobId, { timeoutMs: 50 }))
  const canceled = await haul.jobs.cancel(started.jobId)
  const waitFailure = await thrown(haul.jobs.wait(started.jobId))

  const controller = new AbortController()
  const aborted = await thrown(
    haul.import(slow, {
      signal: controller.signal,
      cancelOnAbort: true,
      onProgress: ({ stage }) => stage === 'downloading' && controller.abort('enough'),
    }),
  )
  const [last] = await all(haul.jobs.list({ limit: 1 }))

  const heard = await untilFound(() => haul.search('"last tone" ton*', { jobId: transcribed.jobId }))
  const turned = await haul.updateAccount({ index: true })
  const { status: rebuilding } = await haul.rebuildSearch()
  const wordless = await thrown(haul.search('-tone').next())

  const refused = await thrown(haul.import(media, { videoQuality: 'sharp' }))
  const unknown = await thrown(haul.jobs.get('imp_unknown'))
  const event = await haul.webhooks.verify(webhook.body, webhook.headers, (await haul.webhooks.secret()).secret)
  const forged = await thrown(haul.webhooks.verify(`${webhook.body} `, webhook.headers, webhook.secret))

  return {
    imported: [imported.contentType, imported.jobId.startsWith('imp_')],
    isPlaylist: (await haul.metadata(media)).isPlaylist,
    transcribed: [transcribed.source, text, segments.length],
    uploaded: [upload.status, percents[0], percents.at(-1)],
    uploadFailure: [uploadFailure instanceof HaulJobError, uploadFailure.code, uploadFailure.quote !== undefined],
    fileFailure: fileFailure.code,
    batch: [total, batch.status, batch.counts.failed, items.map(({ status }) => status)],
    batches: batches.map((each) => each.batchId === batchId),
    watch: [status, paused.status, watches.map((each) => each.watchId === watchId), removed.status],
    search: [heard.map(matchedText), heard[0].start, turned.index, rebuilding, wordless.details[0].path],
    canceled: [canceled.status, waitFailure.code, waitFailure.jobId === started.jobId],
    aborted: [aborted, last.code],
    isRepeated: repeated.jobId === started.jobId,
    timedOut: [timedOut.name, timedOut.jobId === started.jobId],
    refused: [refused instanceof HaulApiError, refused.status, refused.code, refused.details[0].path],
    unknown: [unknown.status, unknown.code, /^req_/.test(unknown.requestId)],
    event: [event.type, event.data.status],
    forged: forged.name,
    heldDollars: (await haul.account()).heldDollars,
  }
}

/** Words are found within a minute after the end of their job. */
const untilFound = async (search) => {
  for (;;) {
    const found = await all(search())
    if (found.length > 0) return found
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const matchedText = ({ snippet, matches }) => matches.map(([at, length]) => snippet.slice(at, at + length)).join()

const all = async (list) => {
  const entries = []
  for await (const entry of list) entries.push(entry)
  return entries
}
