import { expect, onTestFinished, test, vi } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import type { AccountBase } from '../../../worker/account/account-object.ts'
import type { RequestIdentity } from '../../../worker/account/calls.ts'
import { admission, answerOf, leased, transcribeRequest } from '../support/account.ts'
import { withLoneAccount } from '../support/lone-account.ts'

const cent = micros(10_000)

const transcription = admission(cent, { kind: 'transcription', request: transcribeRequest() })

const started = async (account: AccountBase, identity: RequestIdentity, job = transcription): Promise<string> =>
  answerOf(await account.admit({ ...identity, rateClass: 'transcribe' }, job)).jobId

/** The updates of jobs from now on. */
const jobUpdates = (sql: SqlStorage) => {
  const exec = vi.spyOn(sql, 'exec')
  onTestFinished(() => exec.mockRestore())
  return () => exec.mock.calls.map(([query]) => query).filter((query) => query.startsWith('UPDATE jobs'))
}

const transcript = {
  source: 'platform_captions' as const,
  language: 'en',
  durationSeconds: 90,
  segments: 2,
  hasWords: false,
  hasSpeakers: false,
  plainBytes: 40,
  title: 'film',
  chapters: [],
  attempt: 1,
  secret: 'secret',
  step: 'captions' as const,
  downloadCostMicros: null,
}

test('a start reads the queued jobs beside it and writes the row of none', () =>
  withLoneAccount(micros(10_000_000), async ({ account, sql, identity }) => {
    for (let count = 0; count < 4; count++) await started(account, identity)
    const updates = jobUpdates(sql)
    await started(account, identity, admission(cent))
    expect(updates()).toEqual([])
  }))

test('a request that finds a completed transcription as it wants it writes no row', () =>
  withLoneAccount(micros(10_000_000), async ({ account, sql, identity }) => {
    const jobId = await started(account, identity)
    const lease = await leased(account, jobId, 'captions')
    const { source: _, title, chapters, attempt, secret, step, downloadCostMicros: __, ...facts } = transcript
    const stored = { key: 'transcript', uploadId: null, parts: null, sizeBytes: 1 }
    const found = { step, transcript: stored, facts, durationSeconds: 90, title, chapters }
    await account.finishTranscriptionStep(lease, found, { attempt, secret })
    const updates = jobUpdates(sql)
    const canceled = await account.cancel({ ...identity, rateClass: 'general' }, jobId)
    expect(canceled.result).toMatchObject({ ok: true, value: { job: { state: 'completed', result: transcript } } })
    expect(updates()).toEqual([])
  }))
