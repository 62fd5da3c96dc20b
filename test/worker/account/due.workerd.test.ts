import { expect, test, vi } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import { HOUR_MS } from '../../../domain/time.ts'
import { changeLists, changeMedia, type MediaChange, schedule } from '../../../worker/account/due/due-rows.ts'
import { writeNote } from '../../../worker/account/jobs/bucket-copies.ts'
import { admission, answerOf, leased } from '../support/account.ts'
import { eventually, skip } from '../support/clock.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'
import { dueNow, failDue } from '../support/tables.ts'

const credit = micros(10_000_000)
const discard: MediaChange = { kind: 'discard', objects: [{ key: 'media/1', uploadId: null }] }
const change = (sql: SqlStorage, what: MediaChange) => changeMedia(sql, what, Date.now())

/** A call that writes, after which what is due is sent. */
const touch = ({ account, identity }: LoneAccount) => account.rotateWebhookSecret({ ...identity, rateClass: 'general' })

test('the end of a job whose copy has left an upload in the bucket sends the message of its cleanup', async () => {
  const sent: string[] = []
  await withLoneAccount(
    credit,
    async (lone) => {
      const { account, identity } = lone
      const { jobId } = answerOf(await account.admit(identity, admission(micros(1))))
      await account.saveCopy(await leased(account, jobId), 'a multipart upload')
      await account.remove({ ...identity, rateClass: 'status' }, jobId)
      await eventually(async () => expect(sent).toEqual([jobId]))
    },
    { sendCleanup: async (_account, jobId) => void sent.push(jobId) },
  )
})

test('an account that is woken sets the alarm that the platform has dropped, although nothing is due yet', async () => {
  await withLoneAccount(credit, async ({ sql, evicted, alarmAt }) => {
    const account = await evicted()
    const at = Date.now() + HOUR_MS
    schedule(sql, 'sweep', 'sweep', at)
    await account.wake()
    expect(alarmAt()).toBe(at)
  })
})

test('what fails is tried again later and does not block the others', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const sent: string[] = []
  await withLoneAccount(
    credit,
    async (lone) => {
      const { sql } = lone
      changeLists(sql, { kind: 'trim', before: 'x' }, Date.now())
      change(sql, discard)
      await touch(lone)
      await eventually(async () => expect(sent).toEqual(['discard media/1']))
      await eventually(async () => expect(lone.alarmAt()).toBeLessThan(Date.now() + 60_000))
      expect(dueNow(sql)).toEqual([])
      skip(5_000)
      expect(dueNow(sql)).toEqual([{ kind: 'lists', attempts: 1 }])
    },
    {
      removeJobs: () => Promise.reject(new Error('D1 is unavailable')),
      discardMedia: async ([object]) => void sent.push(`discard ${object?.key}`),
    },
  )
})

test.each([
  [18, false],
  [19, true],
])('after %i failures an upload that cannot be aborted is left to R2: %s', async (failures, isLeft) => {
  const lastAborts: boolean[] = []
  await withLoneAccount(
    credit,
    async (lone) => {
      change(lone.sql, discard)
      failDue(lone.sql, failures)
      await touch(lone)
      await eventually(async () => expect(lastAborts).toEqual([isLeft]))
    },
    { discardMedia: async (_objects, isLastAbort) => void lastAborts.push(isLastAbort) },
  )
})

test('a change that is committed while an earlier one is being sent is sent too', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const sent: string[] = []
  await withLoneAccount(
    credit,
    async (lone) => {
      change(lone.sql, discard)
      await touch(lone)
      await eventually(async () => expect(sent).toEqual(['media/1']))
      change(lone.sql, { kind: 'discard', objects: [{ key: 'media/2', uploadId: null }] })
      await touch(lone)
      resolve()
      await eventually(async () => expect(sent).toEqual(['media/1', 'media/2']))
      await eventually(async () => expect(dueNow(lone.sql)).toEqual([]))
    },
    {
      discardMedia: async ([object]) => {
        sent.push(`${object?.key}`)
        await promise
      },
    },
  )
})

test('what is scheduled anew while it is done stays', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let calls = 0
  await withLoneAccount(
    credit,
    async (lone) => {
      const { account, identity, sql } = lone
      const { jobId } = answerOf(await account.admit(identity, admission(micros(10_000))))
      // What the copy of a job has left in a bucket is cleaned up.
      writeNote(sql, jobId, '{}')
      await account.cancel({ ...identity, rateClass: 'general' }, jobId)
      await eventually(async () => expect(calls).toBe(1))
      schedule(sql, 'cleanup', `cleanup ${jobId}`, 7)
      resolve()
      await touch(lone)
      await eventually(async () => expect(calls).toBe(2))
    },
    {
      sendCleanup: async () => {
        calls += 1
        await promise
      },
    },
  )
})
