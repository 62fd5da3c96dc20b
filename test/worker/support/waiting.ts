import { expect } from 'vitest'
import { claimed, newCaller, started } from './caller.ts'
import { eventually } from './clock.ts'
import { countUse } from './counts.ts'

/** A job that runs, and a request that waits for its end. `opened`: its Worker has opened so many sockets. */
export const waitingCaller = async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  const counts = await countUse(caller)
  const answer = caller.get(`/import/status?id=${jobId}&wait=30`)
  const opened = (times: number) => eventually(async () => expect(counts.objectRequests.fetch).toBe(times))
  await opened(1)
  const end = async () => {
    await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
    expect((await answer).body.data).toMatchObject({ status: 'failed', code: 'SOURCE_BLOCKED' })
  }
  return { caller, lease, counts, opened, end }
}
