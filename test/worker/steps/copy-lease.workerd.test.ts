import { expect, test } from 'vitest'
import { type GetAccount, isContinued, parseSavedCopy, runUnderLease } from '../../../worker/bucket/copy-lease.ts'

const lease = { jobId: 'imp_1', lease: 'worker-1' }
const place = { endpoint: 'https://s3.test', bucket: 'bucket' }
const GB = 1_000_000_000

/** An account whose lease goes on. */
const accountWith = (notes: string[]) =>
  (() => ({
    progress: async () => 'continue',
    saveCopy: async (_: unknown, note: string) => {
      notes.push(note)
      return 'continue'
    },
  })) as unknown as GetAccount

test.each([
  [3, true],
  [4, false],
])('after %d GB a run may go on: %s', async (gigabytes, expected) => {
  const terms = { place, downloadedBytes: 20 * GB, leaseMs: 60_000 }
  const mayGoOn = await runUnderLease(accountWith([]), lease, terms, async (runtime) => {
    await runtime.save({ copied: [], key: 'film.mp4', state: null }, { sentBytes: gigabytes * GB, percent: 15 })
    return runtime.deadline > Date.now()
  })
  expect(mayGoOn).toBe(expected)
})

const copied = ['film.en.vtt', 'film.de.vtt']
const files = [...copied, 'film.mp4'].map((key) => ({ key, open: () => Promise.reject(new Error('not opened')) }))

test.each([
  ['continues the list of the run before', place, files, true],
  ['continues nothing in another bucket', { ...place, bucket: 'other' }, files, false],
  ['continues nothing at another endpoint', { ...place, endpoint: 'https://s3.other' }, files, false],
  ['continues nothing if the keys have changed', place, files.toReversed(), false],
])('a run %s', async (_, newPlace, newFiles, expected) => {
  const notes: string[] = []
  const terms = { place, downloadedBytes: GB, leaseMs: 60_000 }
  const state = { openedAt: 1, uploadId: 'upload', partSizeBytes: 8, checksums: true, parts: [] }
  await runUnderLease(accountWith(notes), lease, terms, (runtime) =>
    runtime.save({ copied, key: 'film.mp4', state }, { sentBytes: 8, percent: 0 }),
  )
  const saved = parseSavedCopy(notes.at(-1) ?? null) ?? expect.fail('nothing was saved')
  expect(saved).toEqual({ place: { ...place, key: 'film.mp4' }, copied, state })
  expect(isContinued(saved, newPlace, newFiles)).toBe(expected)
})
