import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import { RETENTION_DAYS } from '../../../domain/limits.ts'
import { mediaKey, thumbnailKey, uploadKey } from '../../../domain/media/media-keys.ts'
import { micros } from '../../../domain/money/money.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { READY_UPLOAD_MS } from '../../../domain/uploads/upload.ts'
import type { DiscardedObject } from '../../../worker/account/due/due-rows.ts'
import { readJob } from '../../../worker/account/jobs/job-rows.ts'
import {
  admission,
  answerOf,
  fetchedFile,
  fetchedImport,
  leased,
  newAccount,
  transcribeRequest,
} from '../support/account.ts'
import { type Caller, completed, namesIn, newCaller, path, started as startedImport } from '../support/caller.ts'
import { eventually, runAlarm, skip } from '../support/clock.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'
import { runs } from '../support/runs.ts'
import { admitLater, inTables, keepChanges, liveJobs, takeKeptChanges } from '../support/tables.ts'
import { ready, startedOn, transcribe } from '../support/uploads.ts'

const isStored = async (key: string): Promise<boolean> => (await env.MEDIA.head(key)) !== null

const cancel = (caller: Caller, jobId: string) => caller.delete(`/jobs/${jobId}`)

test('an import that is completed and still here is a source, and holds nothing for a download', async () => {
  const caller = await newCaller()
  const importId = await completed(caller)
  const jobId = await startedOn(caller, { importId })
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0.03)
  const { body } = await caller.get(`/jobs/${jobId}`)
  expect(body.data).toMatchObject({ type: 'transcription', url: null, importId })
  const listed = (await caller.get('/jobs?type=transcription')).body.data.jobs
  expect(listed).toMatchObject([{ jobId, url: null }])
})

test('what an import is not: queued, running, failed, removed, expired, another kind of job, or of another account', async () => {
  const [caller, stranger] = [await newCaller(), await newCaller()]
  const answer = async (importId: string, who = caller) => {
    const { status, body } = await transcribe(who, { importId })
    return [status, body.code]
  }
  const unfinished = await startedImport(caller)
  expect(await answer(unfinished)).toEqual([409, 'SOURCE_NOT_READY'])
  await caller.account.claim(unfinished, 'fetch')
  expect(await answer(unfinished)).toEqual([409, 'SOURCE_NOT_READY'])
  await cancel(caller, unfinished)
  expect(await answer(unfinished)).toEqual([409, 'SOURCE_NOT_READY'])
  const done = await completed(caller)
  expect(await answer(done, stranger)).toEqual([404, 'JOB_NOT_FOUND'])
  expect(await answer('imp_nonsense')).toEqual([404, 'JOB_NOT_FOUND'])
  const other = await startedOn(caller, { importId: done })
  expect(await answer(other)).toEqual([404, 'JOB_NOT_FOUND'])
  await cancel(caller, other)
  const removed = await completed(caller)
  await cancel(caller, removed)
  expect(await answer(removed)).toEqual([410, 'MEDIA_EXPIRED'])
  skip(RETENTION_DAYS * DAY_MS)
  expect(await answer(done)).toEqual([410, 'MEDIA_EXPIRED'])
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0)
})

test('exactly one of url, importId and uploadId is a source', async () => {
  const caller = await newCaller()
  for (const sources of [
    {},
    { importId: 'imp_x', uploadId: 'upl_x' },
    { url: 'https://a.example/', importId: 'imp_x' },
  ]) {
    const { status, body } = await transcribe(caller, sources)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  }
})

test('media that is deleted while a job reads it is a 410 at once, and its object goes with the last of its jobs', async () => {
  const caller = await newCaller()
  const importId = await completed(caller)
  const { mediaUrl, thumbnailUrl } = (await caller.get(`/import/status?id=${importId}`)).body.data.result
  const jobs = [await startedOn(caller, { importId }), await startedOn(caller, { importId, provider: undefined })]
  const { body } = await cancel(caller, importId)
  expect(body.data.removedAt).toEqual(expect.any(String))
  for (const link of [mediaUrl, thumbnailUrl]) {
    await eventually(async () => expect((await caller.get(path(link))).status).toBe(410))
  }
  const names = await namesIn(importId)
  const key = mediaKey(importId, names)
  await cancel(caller, jobs[0] ?? '')
  expect([await isStored(key), await isStored(thumbnailKey(importId, names))]).toEqual([true, false])
  await cancel(caller, jobs[1] ?? '')
  await eventually(async () => expect(await isStored(key)).toBe(false))
  expect((await env.MEDIA.list({ prefix: `media/${importId}/` })).objects).toEqual([])
})

test('media that expires while a job reads it goes when the job has ended, even if that takes as long as the history', async () => {
  const caller = await newCaller()
  const importId = await completed(caller)
  const jobId = await startedOn(caller, { importId })
  const key = mediaKey(importId, await namesIn(importId))
  for (const days of [7, 90]) {
    // Otherwise the job would time out.
    await inTables(caller.account, admitLater(days * 86_400_000))
    skip(days * 86_400_000)
    await runAlarm(caller.account)
    expect(await isStored(key)).toBe(true)
  }
  await cancel(caller, jobId)
  await eventually(async () => expect(await isStored(key)).toBe(false))
})

test('an upload that is deleted or expires while a job reads it goes when the job has ended', async () => {
  const caller = await newCaller()
  const [first, second] = [await ready(caller), await ready(caller, 'a film.final.mp4')]
  const jobs = [await startedOn(caller, { uploadId: first }), await startedOn(caller, { uploadId: second })]
  const claim = await caller.account.claim(jobs[1] ?? '', 'audio')
  expect(claim?.stored).toMatchObject({ title: 'a film.final', sizeBytes: 1_000, durationSeconds: 61.5 })
  await caller.delete(`/uploads/${first}`)
  expect((await transcribe(caller, { uploadId: first })).body.code).toBe('MEDIA_EXPIRED')
  await inTables(caller.account, admitLater(READY_UPLOAD_MS))
  skip(READY_UPLOAD_MS)
  await runAlarm(caller.account)
  expect((await caller.get(`/uploads/${second}`)).status).toBe(410)
  const keys = await Promise.all([first, second].map(async (id) => uploadKey(id, await namesIn(id))))
  const areStored = () => Promise.all(keys.map(isStored))
  expect(await areStored()).toEqual([true, true])
  for (const jobId of jobs) await cancel(caller, jobId)
  await eventually(async () => expect(await areStored()).toEqual([false, false]))
})

test('a job that reads a large file needs the disk for the file and what is decoded of it, in its audio step', async () => {
  const { account, identity } = await newAccount()
  const importId = await importedInto(account, identity, 400_000_000)
  const request = transcribeRequest({ url: null, importId, provider: 'builtin', captionsFirst: true })
  const transcription = admission(micros(30_000), { kind: 'transcription', request })
  const { jobId } = answerOf(await account.admit(identity, transcription))
  const diskBytes = async () => (await inTables(account, (sql) => readJob(sql, jobId)))?.diskBytes
  expect(await diskBytes()).toBeNull()
  const found = { step: 'captions', transcript: null, facts: null, durationSeconds: null } as const
  const lease = await leased(account, jobId, 'captions')
  await account.finishTranscriptionStep(lease, found, { attempt: 1, secret: SECRET })
  expect(await diskBytes()).toBe(400_000_000 + 6 * 32_000)
})

type Identity = Awaited<ReturnType<typeof newAccount>>['identity']
type Calls = Pick<LoneAccount['account'], 'admit' | 'claim' | 'finishFetch'>

const importedInto = async (account: Calls, identity: Identity, bytes = 1_000): Promise<string> => {
  const { jobId } = answerOf(await account.admit(identity, admission(micros(0))))
  await account.finishFetch(await leased(account, jobId), fetchedFile(fetchedImport(bytes)))
  return jobId
}

/**
 * Random histories of files and of the jobs that read them. `deleted`: the objects that R2 has been told to
 * delete, which a job that is live must never miss, and which must all be there when nothing is live any more.
 */
interface History extends LoneAccount {
  imports: string[]
  uploads: string[]
  jobs: { id: string; key: string }[]
  deleted: Set<string>
}

type Act = (history: History) => Promise<unknown>

/** An act on one of a list, if there is one. */
const on = <T>(
  listOf: (history: History) => T[],
  act: (one: T, history: History) => Promise<unknown>,
): fc.Arbitrary<Act> =>
  fc.nat({ max: 5 }).map((index) => async (history) => {
    const list = listOf(history)
    const one = list[index % Math.max(1, list.length)]
    if (one !== undefined) await act(one, history)
  })

const collectDeleted = ({ sql, deleted }: History): void => {
  for (const { objects } of takeKeptChanges<{ objects: DiscardedObject[] }>(sql)) {
    for (const { key } of objects) deleted.add(key)
  }
}

const startOn = async (history: History, source: { importId: string } | { uploadId: string }, key: string) => {
  const { account, identity, jobs } = history
  const request = transcribeRequest({ url: null, provider: 'builtin', ...source })
  const { result } = await account.admit(identity, admission(micros(0), { kind: 'transcription', request }))
  if (result.ok) jobs.push({ id: result.value.jobId, key })
}

/** As in fetchedImport. */
const SECRET = 'secret'

const removeJob = (id: string, { account, identity }: History) =>
  account.remove({ ...identity, rateClass: 'general' }, id)

const removeUpload = (id: string, { account, identity }: History) =>
  account.removeUpload({ ...identity, rateClass: 'general' }, id)

const upload: Act = async ({ account, identity, uploads }) => {
  const file = { filename: 'a', sizeBytes: 5, contentType: null }
  const { result } = await account.reserveUpload(identity, file)
  if (!result.ok) return
  const { id } = result.value
  await account.startUploadAttempt({ id, attempt: 1, secret: SECRET, multipartId: 'm' })
  const ready = { sizeBytes: file.sizeBytes, contentType: 'audio/mpeg', durationSeconds: null }
  await account.markUploadReady({ id, attempt: 1, ...ready })
  uploads.push(id)
}

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.constant<Act>(async ({ account, identity, imports }) => void imports.push(await importedInto(account, identity))),
  fc.constant(upload),
  on(
    ({ imports }) => imports,
    (importId, history) => startOn(history, { importId }, mediaKey(importId, { attempt: 1, secret: SECRET })),
  ),
  on(
    ({ uploads }) => uploads,
    (uploadId, history) => startOn(history, { uploadId }, uploadKey(uploadId, { attempt: 1, secret: SECRET })),
  ),
  on(({ imports }) => imports, removeJob),
  on(({ uploads }) => uploads, removeUpload),
  on(({ jobs }) => jobs.map(({ id }) => id), removeJob),
  on(
    ({ jobs }) => jobs,
    async ({ id }, { account }) => {
      const claim = await account.claim(id, 'audio')
      if (claim) await account.failStep({ jobId: id, lease: claim.lease }, failure('NO_SPEECH'))
    },
  ),
  // Uploads that are here expire, or imports too.
  fc.constantFrom(READY_UPLOAD_MS, RETENTION_DAYS * DAY_MS).map(
    (ms): Act =>
      async ({ account, sql }) => {
        // Otherwise all jobs would time out.
        admitLater(ms)(sql)
        skip(ms)
        await account.alarm()
      },
  ),
)

test('whatever happens, no job loses its file, and no file stays when nothing needs it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 30 }), async (history) => {
      await withLoneAccount(micros(10_000_000), async (lone) => {
        const { sql } = lone
        keepChanges(sql, 'discard')
        const model: History = { ...lone, imports: [], uploads: [], jobs: [], deleted: new Set() }
        const check = () => {
          collectDeleted(model)
          const live = new Set(liveJobs(sql))
          for (const { id, key } of model.jobs) if (live.has(id)) expect(model.deleted.has(key)).toBe(false)
        }
        for (const act of history) {
          await act(model)
          check()
        }
        for (const { id } of model.jobs) {
          await removeJob(id, model)
          check()
        }
        for (const id of model.imports) await removeJob(id, model)
        for (const id of model.uploads) await removeUpload(id, model)
        check()
        const media = model.imports.map((id) => mediaKey(id, { attempt: 1, secret: SECRET }))
        const files = [...media, ...model.uploads.map((id) => uploadKey(id, { attempt: 1, secret: SECRET }))]
        expect(files.filter((key) => !model.deleted.has(key))).toEqual([])
      })
    }),
    { numRuns: runs(60) },
  )
}, 1_200_000)
