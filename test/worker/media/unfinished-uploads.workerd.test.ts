import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { mediaKey } from '../../../domain/media/media-keys.ts'
import { AccountBase } from '../../../worker/account/account-object.ts'
import { signingKey } from '../../../worker/env.ts'
import { discard } from '../../../worker/media/presigned-uploads.ts'
import { leaseToken } from '../../../worker/steps/lease-token.ts'
import { fetchedFile, fetchedImport } from '../support/account.ts'
import { callApi, claimed, namesIn, newCaller, started } from '../support/caller.ts'
import { eventually } from '../support/clock.ts'

/** A bucket whose uploads cannot be aborted. */
const bucketWhoseAborts = (message: string) => {
  const deleted: string[][] = []
  const bucket = {
    resumeMultipartUpload: () => ({ abort: () => Promise.reject(new Error(message)) }),
    delete: async (keys: string[]) => void deleted.push(keys),
  }
  return { bucket: bucket as never as R2Bucket, deleted }
}

const objects = ['a', 'b'].map((key) => ({ key, uploadId: 'upload' }))
const temporary = 'abort: We encountered an internal error. Please try again. (10001)'

test('an upload that cannot be aborted now is tried again, and the objects are deleted meanwhile', async () => {
  const { bucket, deleted } = bucketWhoseAborts(temporary)
  await expect(discard(bucket, objects)).rejects.toThrow('(10001)')
  expect(deleted).toEqual([['a', 'b']])
})

test('an upload that does not exist any more is discarded', async () => {
  const { bucket, deleted } = bucketWhoseAborts('abort: The specified multipart upload does not exist. (10024)')
  await discard(bucket, objects)
  expect(deleted).toEqual([['a', 'b']])
})

test('an upload whose abort has failed for an hour is left to R2', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const { bucket } = bucketWhoseAborts(temporary)
  await discard(bucket, objects, true)
  expect(warn).toHaveBeenCalledOnce()
  warn.mockRestore()
})

/** A fetch step, and what its container asks for. */
const fetchStep = async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = {
    accountId: caller.accountId,
    step: 'fetch' as const,
    attempt: 1,
    hasSecret: true,
    ...(await claimed(caller, jobId)),
  }
  const key = await leaseToken(await signingKey(env, 'leases'), lease)
  const body = { kind: 'media', contentType: 'video/mp4', sizeBytes: null }
  return { caller, jobId, lease, plan: () => callApi('POST', `/internal/jobs/${jobId}/uploads`, { key, body }) }
}

/** Only an upload that is unfinished takes parts. */
const isUnfinished = (key: string, uploadId: string): Promise<boolean> =>
  env.MEDIA.resumeMultipartUpload(key, uploadId)
    .uploadPart(2, new Uint8Array(1))
    .then(
      () => true,
      () => false,
    )

test('an upload that could not be noted is aborted', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const create = vi.spyOn(Object.getPrototypeOf(env.MEDIA), 'createMultipartUpload')
  const note = vi.spyOn(AccountBase.prototype, 'noteUpload').mockRejectedValueOnce(new Error('evicted'))
  const { plan } = await fetchStep()
  expect((await plan()).status).toBe(500)
  const { key, uploadId } = (await create.mock.results.at(0)?.value) ?? {}
  expect(await isUnfinished(key, uploadId)).toBe(false)
  create.mockRestore()
  note.mockRestore()
})

test('of two uploads of the same file both are aborted when the attempt fails', async () => {
  const { caller, lease, plan } = await fetchStep()
  const plans = [(await plan()).body, (await plan()).body]
  await caller.account.giveBack(lease)
  for (const { key, uploadId } of plans) {
    await eventually(async () => expect(await isUnfinished(key, uploadId)).toBe(false))
  }
})

test.each([0, 1])(
  'of two uploads of the same file the other is aborted when upload %i is the result',
  async (index) => {
    const { caller, jobId, lease, plan } = await fetchStep()
    const plans = [(await plan()).body, (await plan()).body]
    const { key, uploadId } = plans[index]
    expect(key).toBe(mediaKey(jobId, await namesIn(jobId)))
    const upload = env.MEDIA.resumeMultipartUpload(key, uploadId)
    await upload.complete([await upload.uploadPart(1, new Uint8Array(1_000))])
    const stored = { ...(await namesIn(jobId)), hasThumbnail: false }
    await caller.account.finishFetch(lease, fetchedFile({ ...fetchedImport(1_000), stored }))
    await eventually(async () => expect(await isUnfinished(key, plans[1 - index].uploadId)).toBe(false))
    expect(await env.MEDIA.head(key)).toMatchObject({ size: 1_000 })
  },
)
