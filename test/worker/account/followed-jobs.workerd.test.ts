import { expect, test } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import { admission, answerOf, leased } from '../support/account.ts'
import { eventually } from '../support/clock.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'

/** The versions by which streams and long polls know whether a job has changed since they saw it. */
const withFollowedJob = (
  act: (
    job: LoneAccount & { jobId: string; claim: () => ReturnType<typeof leased>; changed: () => Promise<unknown> },
  ) => unknown,
) =>
  withLoneAccount(micros(10_000_000), async (lone) => {
    const { account, identity } = lone
    const { jobId } = answerOf(await account.admit(identity, admission(micros(10_000))))
    let { version } = answerOf(await account.read({ ...identity, rateClass: 'status' }, jobId, null))
    const changed = async () => {
      const change = await account.readUncounted(identity.keyHash, jobId)
      if (change === null || change.version === version) return 'unchanged'
      version = change.version
      return change.job
    }
    await act({ ...lone, jobId, claim: () => leased(account, jobId), changed })
  })

const progress = {
  stage: 'downloading' as const,
  percent: 50,
  downloadedBytes: 5,
  totalBytes: null,
  bytesPerSecond: null,
}

test('a job that ended and was closed between two questions is told to who follows it', () =>
  withFollowedJob(async ({ account, identity, jobId, changed }) => {
    await account.cancel({ ...identity, rateClass: 'general' }, jobId)
    await eventually(async () => {
      const open = await account.openJobs({ ...identity, rateClass: 'general' })
      expect(open.result).toEqual({ ok: true, value: [] })
    })
    expect(await changed()).toMatchObject({ state: 'failed', failure: { code: 'CANCELED' } })
    expect(await changed()).toBe('unchanged')
  }))

test('neither an alarm nor the note of an upload is told to who follows the job', () =>
  withFollowedJob(async ({ account, claim, changed }) => {
    await account.alarm()
    expect(await changed()).toBe('unchanged')
    const lease = await claim()
    await changed()
    await account.noteUpload(lease, { key: 'media/1', uploadId: null })
    expect(await changed()).toBe('unchanged')
  }))

test('the progress of an attempt is shown until the attempt ends, and not to the next one', () =>
  withFollowedJob(async ({ account, claim, changed }) => {
    const lease = await claim()
    await account.reportProgress(lease, progress)
    expect(await changed()).toMatchObject({ state: 'running', progress })
    await account.postpone(lease, { delayMs: 0 })
    expect(await changed()).toMatchObject({ usedAttempts: 0, progress: null })
    await claim()
    expect(await changed()).toMatchObject({ usedAttempts: 1, progress: null })
  }))

test('a job that is canceled shows no progress in the answer', () =>
  withFollowedJob(async ({ account, identity, jobId, claim }) => {
    await account.reportProgress(await claim(), progress)
    const { result } = await account.cancel({ ...identity, rateClass: 'general' }, jobId)
    expect(result).toMatchObject({ ok: true, value: { job: { state: 'failed', progress: null } } })
  }))
