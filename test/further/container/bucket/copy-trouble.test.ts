import { describe, expect, test } from 'vitest'
import type { Bucket } from '../../../../worker/bucket/s3/bucket.ts'
import { copyToBucket } from '../../../../worker/bucket/s3/copy.ts'
import { copySetup, expectNoneAgain, last } from '../../../bucket/s3/copy-setup.ts'
import { MIB, testRuntime } from '../../../doubles/s3/copy-fixtures.ts'
import type { Script } from '../../../doubles/s3/flaky.ts'

const { through, newFile, expectCopied } = copySetup()

/** One run is enough, whatever the proxy does. */
const expectCopy = async (bucket: Bucket) => {
  const file = newFile()
  expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
  await expectCopied(file)
}

describe('a server with errors', () => {
  test('that answers 503 is retried with increasing delays', async () => {
    const busy = {
      does: 'responds',
      status: 503,
      code: 'SlowDown',
      message: 'Please reduce your request rate.',
    } as const
    const { bucket } = await through(({ kind, nth }) => (kind === 'create' && nth < 4 ? busy : null))
    const file = newFile()
    const runtime = testRuntime()
    expect(await copyToBucket(bucket, file, null, runtime)).toEqual({ state: 'done' })
    expect(runtime.waits).toEqual([500, 1000, 2000, 4000])
    await expectCopied(file)
  })

  test('that sends Retry-After is retried after that time', async () => {
    const busy = { does: 'responds', status: 503, code: 'SlowDown', headers: { 'retry-after': '9' } } as const
    const { bucket } = await through(({ kind, nth }) => (kind === 'put' && nth === 0 ? busy : null))
    const runtime = testRuntime()
    expect(await copyToBucket(bucket, newFile(100), null, runtime)).toEqual({ state: 'done' })
    expect(runtime.waits).toEqual([9000])
  })

  test('that closes the connection during a part gets the part again', async () => {
    const { proxy, bucket } = await through(({ kind, nth }) =>
      kind === 'part' && nth < 3 ? { does: 'cuts the connection', afterBytes: MIB } : null,
    )
    const file = newFile()
    expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
    await expectCopied(file)
    expect(proxy.count('part')).toBe(6)
    expect(file.reads).toHaveLength(3)
  })

  test('that accepts a part and never responds gets the part again after the timeout', async () => {
    const hanging: Script = ({ kind, nth }) => (kind === 'part' && nth === 0 ? { does: 'hangs' } : null)
    const { bucket } = await through(hanging, { longTimeoutMs: 3_000 })
    await expectCopy(bucket)
  })

  test.each(['create', 'part', 'complete', 'head'] as const)(
    'whose response to a %s request is lost still gets the file',
    async (lost) => {
      const { bucket } = await through(({ kind, nth }) =>
        kind === lost && nth === 0 ? { does: 'loses the response' } : null,
      )
      await expectCopy(bucket)
    },
  )

  test('that stays down fails the run with its own message, and the next run sends only the missing parts', async () => {
    const down = {
      does: 'responds',
      status: 503,
      code: 'ServiceUnavailable',
      message: 'Maintenance until noon.',
    } as const
    let isDown = true
    const { proxy, bucket } = await through(({ kind, target }) =>
      isDown && kind === 'part' && !target.includes('partNumber=1&') ? down : null,
    )
    const file = newFile()
    const runtime = testRuntime()
    const outcome = await copyToBucket(bucket, file, null, runtime)
    expect(outcome).toMatchObject({ state: 'failed', refusal: { code: 'STORAGE_UNAVAILABLE', retryable: true } })
    expect(outcome).toMatchObject({ refusal: { message: expect.stringContaining('Maintenance until noon.') } })

    isDown = false
    const before = proxy.seen.length
    expect(await copyToBucket(bucket, file, last(runtime.saves), testRuntime())).toEqual({ state: 'done' })
    expectNoneAgain(proxy.seen.slice(before), last(runtime.saves))
    await expectCopied(file)
  })

  test('that reports fewer bytes than were sent fails the copy', async () => {
    const short = { does: 'responds', status: 200, headers: { 'content-length': '5' } } as const
    const { bucket } = await through(({ kind }) => (kind === 'head' ? short : null))
    const outcome = await copyToBucket(bucket, newFile(1000), null, testRuntime())
    expect(outcome).toMatchObject({ state: 'failed', refusal: { code: 'STORAGE_CORRUPTED', retryable: true } })
    expect(outcome).toMatchObject({ refusal: { serverMessage: 'it reports 5 bytes, but 1000 were sent.' } })
  })

  test('that reports a different checksum fails the copy', async () => {
    const file = newFile(1000)
    const headers = { 'content-length': '1000', 'x-amz-checksum-sha256': 'AAAA' }
    const { bucket } = await through(({ kind }) =>
      kind === 'head' ? { does: 'responds', status: 200, headers } : null,
    )
    const outcome = await copyToBucket(bucket, file, null, testRuntime())
    expect(outcome).toMatchObject({ refusal: { code: 'STORAGE_CORRUPTED', serverMessage: 'its checksum differs.' } })
  })
})
