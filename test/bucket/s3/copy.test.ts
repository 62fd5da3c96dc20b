import { describe, expect, test } from 'vitest'
import { copyToBucket } from '../../../worker/bucket/s3/copy.ts'
import { MIB, testRuntime } from '../../doubles/s3/copy-fixtures.ts'
import { copySetup, last, SIZE } from './copy-setup.ts'

const setup = copySetup()
const { through, newFile, expectCopied } = setup

describe('a file is copied', () => {
  test.each([
    ['of one byte', 1, 'put'],
    ['of exactly one part', 8 * MIB, 'put'],
    ['of one part and a byte', 8 * MIB + 1, 'part'],
    ['of three parts', SIZE, 'part'],
  ] as const)('%s', async (_, sizeBytes, kind) => {
    const { proxy, bucket } = await through()
    const file = newFile(sizeBytes)
    expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
    await expectCopied(file)
    expect(proxy.count(kind)).toBe(kind === 'put' ? 1 : Math.ceil(sizeBytes / (8 * MIB)))
  })

  test('with its content type, its filename for downloads and its storage class', async () => {
    const { proxy, bucket } = await through()
    const file = newFile()
    const metadata = { ...file.metadata, storageClass: 'STANDARD_IA' }
    await copyToBucket(bucket, { ...file, metadata }, null, testRuntime())
    const { headers } = await setup.server.get('media', file.key)
    expect(headers.get('content-type')).toBe('video/mp4')
    expect(headers.get('content-disposition')).toBe('attachment; filename="film.mp4"')
    expect(headers.get('x-amz-meta-sha256')).toBe(file.metadata.sha256)
    expect(proxy.seen.find(({ kind }) => kind === 'create')?.headers['x-amz-storage-class']).toBe('STANDARD_IA')
  })

  test('with each part read once, verified by the server and then saved', async () => {
    const { proxy, bucket } = await through()
    const file = newFile()
    const runtime = testRuntime()
    await copyToBucket(bucket, file, null, runtime)
    expect(file.reads.toSorted((a, b) => a - b)).toEqual([0, 8 * MIB, 16 * MIB])
    const parts = proxy.seen.filter(({ kind }) => kind === 'part')
    expect(parts.every(({ headers }) => headers['x-amz-checksum-sha256'])).toBe(true)
    expect(last(runtime.saves)).toMatchObject({ checksums: true, parts: [{}, {}, {}] })
  })
})

describe('a server without support for checksum headers', () => {
  test('that rejects the headers gets requests without them', async () => {
    const unknown = { does: 'responds', status: 400, code: 'InvalidArgument', message: 'Unsupported header' } as const
    const checksumHeaders = ['x-amz-checksum-algorithm', 'x-amz-checksum-sha256', 'x-amz-checksum-mode']
    const { bucket } = await through(({ headers }) =>
      checksumHeaders.some((name) => name in headers) ? unknown : null,
    )
    const [small, large] = [newFile(1000), newFile()]
    expect(await copyToBucket(bucket, small, null, testRuntime())).toEqual({ state: 'done' })
    expect(await copyToBucket(bucket, large, null, testRuntime())).toEqual({ state: 'done' })
    await expectCopied(small)
    await expectCopied(large)
  })

  test('that ignores the headers gets a new upload without them, and no upload is left', async () => {
    const { proxy, bucket } = await through(() => ({ does: 'drops headers', starting: 'x-amz-checksum' }))
    const file = newFile()
    const runtime = testRuntime()
    expect(await copyToBucket(bucket, file, null, runtime)).toEqual({ state: 'done' })
    await expectCopied(file)
    expect(proxy.count('create')).toBe(2)
    expect(last(runtime.saves).checksums).toBe(false)
  })
})

describe('a copy that cannot succeed', () => {
  test('a denied request is not retried, its message is reported, and the upload is aborted', async () => {
    const denied = { does: 'responds', status: 403, code: 'AccessDenied', message: 'Access Denied by policy' } as const
    // Every part, because the server refuses to abort an upload while it still writes another part of it.
    const { proxy, bucket } = await through(({ kind }) => (kind === 'part' ? denied : null))
    const runtime = testRuntime()
    const outcome = await copyToBucket(bucket, newFile(), null, runtime)
    expect(outcome).toMatchObject({ state: 'failed', refusal: { code: 'STORAGE_DENIED', retryable: false } })
    expect(outcome).toMatchObject({ refusal: { serverMessage: 'AccessDenied: Access Denied by policy' } })
    expect(proxy.count('abort')).toBe(1)
    expect(runtime.waits).toEqual([])
  })

  test('canceling the job stops the copy during a part and leaves nothing', async () => {
    const runtime = testRuntime()
    const { bucket } = await through(({ kind, nth }) => {
      if (kind !== 'part' || nth < 1) return null
      queueMicrotask(runtime.cancel)
      return { does: 'hangs' }
    })
    expect(await copyToBucket(bucket, newFile(), null, runtime)).toEqual({ state: 'canceled' })
  })

  test('a file above the size limit is refused before anything is sent', async () => {
    const { proxy, bucket } = await through()
    const outcome = await copyToBucket(bucket, { ...newFile(1), sizeBytes: 2 ** 40 }, null, testRuntime())
    expect(outcome).toMatchObject({ state: 'failed', refusal: { code: 'STORAGE_REFUSED' } })
    expect(proxy.seen).toEqual([])
  })

  test('a source that is too short is an internal error and throws', async () => {
    const { bucket } = await through()
    const file = newFile(1000)
    const read = () => file.read(0, 999)
    await expect(copyToBucket(bucket, { ...file, read }, null, testRuntime())).rejects.toThrow('999 of 1000 bytes')
  })
})
