import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { abandonCopy } from '../../worker/delivery/s3/abandon.ts'
import { copyToBucket } from '../../worker/delivery/s3/copy.ts'
import type { CopyState } from '../../worker/delivery/s3/run.ts'
import { MIB, type SampleFile, testRuntime } from '../s3/delivery.ts'
import { copyBench, expectNoneAgain, last } from './copy-bench.ts'

const bench = copyBench()
const { through, newFile, expectDelivered } = bench

describe('over several invocations', () => {
  test('a copy whose time is up says so and the next one sends only what is missing', async () => {
    const { proxy, bucket } = await through()
    const file = newFile(60 * MIB)
    const runtime = testRuntime()
    // Time is up as soon as the first part is saved.
    const start = runtime.now()
    const now = () => start + last(runtime.saves.length > 0 ? runtime.saves : [emptyState]).parts.length
    expect(await copyToBucket(bucket, file, null, { ...runtime, now, deadline: start + 1 })).toEqual({ state: 'more' })
    const sent = last(runtime.saves).parts.length
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThan(8)

    expect(await copyToBucket(bucket, file, last(runtime.saves), testRuntime())).toEqual({ state: 'done' })
    expect(proxy.count('part')).toBe(8)
    await expectDelivered(file)
  })

  test('a wait that would outlast the invocation is left to the next one', async () => {
    const busy = { does: 'answers', status: 503, code: 'SlowDown' } as const
    const { bucket } = await through(() => busy)
    const runtime = testRuntime()
    runtime.deadline = runtime.now() + 1600
    expect(await copyToBucket(bucket, newFile(100), null, runtime)).toEqual({ state: 'more' })
    expect(runtime.waits).toEqual([500, 1000])
  })
})

describe('after a death', () => {
  /**
   * What is kept of a run that dies when its state is saved for the nth time: before it is kept, or right after. Its
   * connections die with it, and what they carried has arrived: this server takes up an upload again for a late part.
   */
  const diedAt = async (nth: number, when: 'before' | 'after', file: SampleFile) => {
    const kept: (CopyState | null)[] = []
    let calls = 0
    const save = async (state: CopyState | null) => {
      const dies = ++calls >= nth
      if (!dies || (when === 'after' && calls === nth)) kept.push(structuredClone(state))
      if (dies) throw new Error('The process died')
    }
    const { proxy, bucket } = await through()
    await expect(copyToBucket(bucket, file, null, testRuntime({ save }))).rejects.toThrow('The process died')
    await proxy.close()
    return kept.at(-1) ?? null
  }

  test.each([1, 2, 3, 4].flatMap((nth) => [[nth, 'before'] as const, [nth, 'after'] as const]))(
    'at save %i, %s it was kept, the file arrives and no upload is left',
    async (nth, when) => {
      const file = newFile()
      const kept = await diedAt(nth, when, file)
      const { bucket } = await through()
      expect(await copyToBucket(bucket, file, kept, testRuntime())).toEqual({ state: 'done' })
      await expectDelivered(file)
    },
  )

  test('between the completion and the report, the finished file is found and nothing is sent again', async () => {
    const { proxy, bucket } = await through()
    const file = newFile()
    const runtime = testRuntime()
    await copyToBucket(bucket, file, null, runtime)
    const before = proxy.count('part')
    expect(await copyToBucket(bucket, file, last(runtime.saves), testRuntime())).toEqual({ state: 'done' })
    expect(proxy.count('part')).toBe(before)
  })

  test('an upload that the bucket’s own rules removed is begun anew', async () => {
    const file = newFile()
    const kept = await diedAt(4, 'before', file)
    const { bucket } = await through()
    await bucket.abort(file.key, kept?.uploadId ?? '')
    expect(await bench.server.unfinishedUploads('media')).toEqual([])
    expect(await copyToBucket(bucket, file, kept, testRuntime())).toEqual({ state: 'done' })
    await expectDelivered(file)
  })

  test('two runs of the same step end as one', async () => {
    const file = newFile()
    const kept = await diedAt(3, 'after', file)
    const { bucket } = await through()
    // One may find the other in the midst of its completion, and has to wait for real.
    const patient = () => testRuntime({ sleep: (ms, signal) => sleep(ms, undefined, { signal }) })
    const twins = [1, 2].map(() => copyToBucket(bucket, file, kept, patient()))
    expect(await Promise.all(twins)).toEqual([{ state: 'done' }, { state: 'done' }])
    await expectDelivered(file)
  })

  test('with a key that may write but not list, parts go on where they were', async () => {
    const file = newFile()
    const kept = last([await diedAt(4, 'after', file)])
    const no = { does: 'answers', status: 403, code: 'AccessDenied' } as const
    const { proxy, bucket } = await through(({ kind }) => (kind === 'parts' || kind === 'uploads' ? no : null))
    expect(await copyToBucket(bucket, file, kept, testRuntime())).toEqual({ state: 'done' })
    expectNoneAgain(proxy.seen, kept)
    await expectDelivered(file)
  })
})

describe('giving up', () => {
  test('removes the upload that a retryable failure kept', async () => {
    const down = { does: 'answers', status: 500, code: 'InternalError' } as const
    const { bucket } = await through(({ kind }) => (kind === 'complete' ? down : null))
    const file = newFile()
    const runtime = testRuntime()
    await copyToBucket(bucket, file, null, runtime)
    expect(await bench.server.unfinishedUploads('media')).toEqual([file.key])
    expect(await abandonCopy(bucket, file.key, last(runtime.saves), runtime)).toBe(true)
    expect(runtime.saves.at(-1)).toBeNull()
  })

  test('while the server is down keeps the state, so that it can be done later', async () => {
    const down = { does: 'answers', status: 500, code: 'InternalError' } as const
    let isDown = true
    const { bucket } = await through(({ kind }) => (isDown && (kind === 'abort' || kind === 'complete') ? down : null))
    const file = newFile()
    const runtime = testRuntime()
    await copyToBucket(bucket, file, null, runtime)
    expect(await abandonCopy(bucket, file.key, last(runtime.saves), runtime)).toBe(false)
    isDown = false
    expect(await abandonCopy(bucket, file.key, last(runtime.saves), runtime)).toBe(true)
  })
})

const emptyState: CopyState = { openedAt: 0, uploadId: null, partSizeBytes: 0, checksums: false, parts: [] }
