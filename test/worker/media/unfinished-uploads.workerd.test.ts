import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { AccountBase } from '../../../worker/account/account-object.ts'
import { signingKey } from '../../../worker/env.ts'
import { discard } from '../../../worker/media/presigned-uploads.ts'
import { leaseToken } from '../../../worker/steps/lease-token.ts'
import { callApi, claimed, newCaller, started } from '../support/caller.ts'

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
  const lease = { accountId: caller.accountId, step: 'fetch' as const, attempt: 1, ...(await claimed(caller, jobId)) }
  const key = await leaseToken(await signingKey(env, 'leases'), lease)
  const body = { kind: 'media', contentType: 'video/mp4', sizeBytes: null }
  return { plan: () => callApi('POST', `/internal/jobs/${jobId}/uploads`, { key, body }) }
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
