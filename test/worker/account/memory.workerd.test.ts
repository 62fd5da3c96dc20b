import { expect, test } from 'vitest'
import type { AccountEvent } from '../../../worker/account/calls.ts'
import { admission, answerOf, finishImport, newAccount } from '../support/account.ts'
import { price } from '../support/account-batches.ts'

const RESULT = { note: 'long '.repeat(20_000) }

const finished = async (count: number, changes = {}) => {
  const { account, identity } = await newAccount()
  const jobIds: string[] = []
  for (let each = 0; each < count; each++) {
    const { jobId } = answerOf(await account.admit(identity, admission(price)))
    await finishImport(account, jobId, 1_000, changes)
    jobIds.push(jobId)
  }
  return { account, identity, jobIds }
}

test('a page of events has fewer of them if their jobs are large, and none is missing', async () => {
  const { account, identity, jobIds } = await finished(25, RESULT)
  const pages: AccountEvent[][] = []
  for (let last = 0; ; ) {
    const page = await account.eventsAfter(identity.keyHash, last)
    if (!page || page.last === last) break
    pages.push(structuredClone(page.events) as AccountEvent[])
    last = page.last
  }
  const types = ['job.started', 'import.completed']
  const told = pages.flat().map(({ type, job }) => [type, job?.id])
  expect(told).toEqual(jobIds.flatMap((jobId) => types.map((type) => [type, jobId])))
  expect(pages.length).toBeGreaterThan(2)
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(1_200_000)
})
