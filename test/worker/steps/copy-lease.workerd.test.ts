import { expect, test } from 'vitest'
import { type GetAccount, runUnderLease } from '../../../worker/bucket/copy-lease.ts'
import type { CopyState } from '../../../worker/bucket/s3/copy-state.ts'
import { fetchedImport } from '../support/account.ts'

/** An account whose lease goes on. */
const account = (() => ({
  progress: async () => 'continue',
  saveCopy: async () => 'continue',
})) as unknown as GetAccount

const GB = 1_000_000_000

const stateOf = (gigabytes: number): CopyState => ({
  ...{ openedAt: 0, uploadId: 'upload', partSizeBytes: GB, checksums: true },
  parts: Array.from({ length: gigabytes }, (_, index) => ({ number: index + 1, etag: `${index}`, checksum: null })),
})

/** Whether a run may go on after so many gigabytes, of which earlier runs have copied some. */
const mayGoOn = (gigabytes: number, earlier: number): Promise<boolean> => {
  const place = { endpoint: 'https://s3.test', bucket: 'bucket', key: 'film.mp4' }
  const copy = { place, media: fetchedImport(20 * GB), state: earlier > 0 ? stateOf(earlier) : null, leaseMs: 60_000 }
  return runUnderLease(account, { jobId: 'imp_1', attempt: 1 } as never, copy, async (runtime) => {
    await runtime.save(stateOf(gigabytes))
    return runtime.deadline > Date.now()
  })
}

test.each([
  [3, 0, true],
  [4, 0, false],
  [9, 6, true],
  [10, 6, false],
])('after %d GB, of which earlier runs have copied %d, a run may go on: %s', async (gigabytes, earlier, expected) => {
  expect(await mayGoOn(gigabytes, earlier)).toBe(expected)
})
