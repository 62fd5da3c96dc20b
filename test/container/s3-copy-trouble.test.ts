import { describe, expect, test } from 'vitest'
import type { Bucket } from '../../worker/delivery/s3/client.ts'
import { copyToBucket } from '../../worker/delivery/s3/copy.ts'
import { MIB, testRuntime } from '../s3/delivery.ts'
import type { Script } from '../s3/flaky.ts'
import { copyBench, expectNoneAgain, last } from './copy-bench.ts'

const { through, newFile, expectDelivered } = copyBench()

/** A file, in one run, whatever happens on its way. */
const expectToArrive = async (bucket: Bucket) => {
  const file = newFile()
  expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
  await expectDelivered(file)
}

describe('a server in trouble', () => {
  test('that answers 503 for a while is waited for, longer each time', async () => {
    const busy = {
      does: 'answers',
      status: 503,
      code: 'SlowDown',
      message: 'Please reduce your request rate.',
    } as const
    const { bucket } = await through(({ kind, nth }) => (kind === 'create' && nth < 4 ? busy : null))
    const file = newFile()
    const runtime = testRuntime()
    expect(await copyToBucket(bucket, file, null, runtime)).toEqual({ state: 'done' })
    expect(runtime.waits).toEqual([500, 1000, 2000, 4000])
    await expectDelivered(file)
  })

  test('that names its wait gets it', async () => {
    const busy = { does: 'answers', status: 503, code: 'SlowDown', headers: { 'retry-after': '9' } } as const
    const { bucket } = await through(({ kind, nth }) => (kind === 'put' && nth === 0 ? busy : null))
    const runtime = testRuntime()
    expect(await copyToBucket(bucket, newFile(100), null, runtime)).toEqual({ state: 'done' })
    expect(runtime.waits).toEqual([9000])
  })

  test('that closes the connection in the middle of parts gets them again', async () => {
    const { proxy, bucket } = await through(({ kind, nth }) =>
      kind === 'part' && nth < 3 ? { does: 'cuts', afterBytes: MIB } : null,
    )
    const file = newFile()
    expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
    await expectDelivered(file)
    expect(proxy.count('part')).toBe(6)
    expect(file.reads).toHaveLength(3)
  })

  test('that takes a part and then says nothing is asked again after a time-out', async () => {
    const hanging: Script = ({ kind, nth }) => (kind === 'part' && nth === 0 ? { does: 'hangs' } : null)
    const { bucket } = await through(hanging, { longTimeoutMs: 3_000 })
    await expectToArrive(bucket)
  })

  test.each(['create', 'part', 'complete', 'head'] as const)(
    'whose answer to a %s is lost ends the same',
    async (lost) => {
      const { bucket } = await through(({ kind, nth }) =>
        kind === lost && nth === 0 ? { does: 'loses the answer' } : null,
      )
      await expectToArrive(bucket)
    },
  )

  test('that says no within a 200 after the completion is asked again', async () => {
    const no = {
      does: 'answers',
      status: 200,
      code: 'InternalError',
      message: 'We encountered an internal error.',
    } as const
    const { bucket } = await through(({ kind, nth }) => (kind === 'complete' && nth === 0 ? no : null))
    await expectToArrive(bucket)
  })

  test('that stays down fails the step for now, with its own words, and the next attempt sends only the rest', async () => {
    const down = {
      does: 'answers',
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
    expect(outcome).toMatchObject({ state: 'failed', failure: { code: 'STORAGE_UNAVAILABLE', retryable: true } })
    expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('Maintenance until noon.') } })

    isDown = false
    const before = proxy.seen.length
    expect(await copyToBucket(bucket, file, last(runtime.saves), testRuntime())).toEqual({ state: 'done' })
    expectNoneAgain(proxy.seen.slice(before), last(runtime.saves))
    await expectDelivered(file)
  })

  test('that holds fewer bytes than were sent has not got the file', async () => {
    const short = { does: 'answers', status: 200, headers: { 'content-length': '5' } } as const
    const { bucket } = await through(({ kind }) => (kind === 'head' ? short : null))
    const outcome = await copyToBucket(bucket, newFile(1000), null, testRuntime())
    expect(outcome).toMatchObject({ state: 'failed', failure: { code: 'STORAGE_CORRUPTED', retryable: true } })
    expect(outcome).toMatchObject({ failure: { words: 'it reports 5 bytes where 1000 were sent.' } })
  })

  test('that reports another checksum than ours has not got the file', async () => {
    const file = newFile(1000)
    const headers = { 'content-length': '1000', 'x-amz-checksum-sha256': 'AAAA' }
    const { bucket } = await through(({ kind }) => (kind === 'head' ? { does: 'answers', status: 200, headers } : null))
    const outcome = await copyToBucket(bucket, file, null, testRuntime())
    expect(outcome).toMatchObject({ failure: { code: 'STORAGE_CORRUPTED', words: 'its checksum differs.' } })
  })
})
