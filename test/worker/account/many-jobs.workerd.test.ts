import { expect, test } from 'vitest'
import { MAX_CONCURRENT_JOBS } from '../../../domain/account/account-limits.ts'
import { micros } from '../../../domain/money/money.ts'
import { admission, finishImport, newAccount } from '../support/account.ts'
import { asOperator } from '../support/caller.ts'
import { eventually } from '../support/clock.ts'
import { recordedJobs } from '../support/tables.ts'

test(`${MAX_CONCURRENT_JOBS} jobs run at once, the next one is refused, and each is charged and listed once`, async () => {
  const { accountId, account, identity } = await newAccount(micros(10_000_000))
  const limits = { requestsPerHour: { import: 1_000 }, concurrentJobs: { import: MAX_CONCURRENT_JOBS } }
  await asOperator('PATCH', `/admin/accounts/${accountId}`, { limits })

  const starts = await Promise.all(
    Array.from({ length: MAX_CONCURRENT_JOBS + 1 }, () => account.admit(identity, admission(micros(10_000)))),
  )
  const jobIds = starts.flatMap(({ result }) => (result.ok ? result.value.jobId : []))
  expect(jobIds).toHaveLength(MAX_CONCURRENT_JOBS)
  expect(starts.at(-1)?.result).toMatchObject({ ok: false, refusal: { code: 'CONCURRENCY_LIMITED' } })
  const look = async () => (await asOperator('GET', `/admin/accounts/${accountId}`)).body.data
  expect(await look()).toMatchObject({ liveJobs: MAX_CONCURRENT_JOBS, heldDollars: MAX_CONCURRENT_JOBS * 0.01 })
  const recorded = async () => (await recordedJobs(accountId)).filter(({ state }) => state === 'completed')

  await Promise.all(jobIds.map((jobId) => finishImport(account, jobId, 1_000_000)))
  await eventually(async () => expect(await recorded()).toHaveLength(MAX_CONCURRENT_JOBS))
  expect(await look()).toMatchObject({ liveJobs: 0, heldDollars: 0, balanceDollars: 10 - MAX_CONCURRENT_JOBS * 0.01 })
})
