import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { abandonCopy, copyToBucket } from '../../../../worker/bucket/s3/copy.ts'
import type { CopyState } from '../../../../worker/bucket/s3/copy-state.ts'
import { copySetup, expectNoneAgain, last } from '../../../bucket/s3/copy-setup.ts'
import { MIB, type SampleFile, testRuntime } from '../../../doubles/s3/copy-fixtures.ts'

const setup = copySetup()
const { through, newFile, expectCopied } = setup

describe('over several invocations', () => {
  test('a copy that reaches its deadline stops, and the next run sends only the missing parts', async () => {
    const { proxy, bucket } = await through()
    const file = newFile(60 * MIB)
    const runtime = testRuntime()
    // The deadline passes when the first part is saved.
    const start = runtime.now()
    const now = () => start + last(runtime.saves.length > 0 ? runtime.saves : [emptyState]).parts.length
    expect(await copyToBucket(bucket, file, null, { ...runtime, now, deadline: start + 1 })).toEqual({ state: 'more' })
    const sent = last(runtime.saves).parts.length
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThan(8)

    expect(await copyToBucket(bucket, file, last(runtime.saves), testRuntime())).toEqual({ state: 'done' })
    expect(proxy.count('part')).toBe(8)
    await expectCopied(file)
  })

  test('a retry that would start after the deadline is left to the next run', async () => {
    const busy = { does: 'responds', status: 503, code: 'SlowDown' } as const
    const { bucket } = await through(() => busy)
    const runtime = testRuntime()
    runtime.deadline = runtime.now() + 1600
    expect(await copyToBucket(bucket, newFile(100), null, runtime)).toEqual({ state: 'more' })
    expect(runtime.waits).toEqual([500, 1000])
  })
})

describe('after a crash', () => {
  /**
   * Returns the saved state of a run that crashes at its nth save: just before the state is stored, or just after.
   * Its connections are closed and their requests have ended: this server reopens an upload when a late part arrives.
   */
  const crashAt = async (nth: number, when: 'before' | 'after', file: SampleFile) => {
    const stored: CopyState[] = []
    let calls = 0
    const save = async (state: CopyState) => {
      const crashes = ++calls >= nth
      if (!crashes || (when === 'after' && calls === nth)) stored.push(structuredClone(state))
      if (crashes) throw new Error('crash')
    }
    const { proxy, bucket } = await through()
    await expect(copyToBucket(bucket, file, null, testRuntime({ save }))).rejects.toThrow('crash')
    await proxy.close()
    return stored.at(-1) ?? null
  }

  test.each([1, 2, 3, 4].flatMap((nth) => [[nth, 'before'] as const, [nth, 'after'] as const]))(
    'at save %i, %s the state is stored, the next run copies the file and leaves no upload',
    async (nth, when) => {
      const file = newFile()
      const saved = await crashAt(nth, when, file)
      const { bucket } = await through()
      expect(await copyToBucket(bucket, file, saved, testRuntime())).toEqual({ state: 'done' })
      await expectCopied(file)
    },
  )

  test('between completing the upload and reporting it, the finished file is found and nothing is sent again', async () => {
    const { proxy, bucket } = await through()
    const file = newFile()
    const runtime = testRuntime()
    await copyToBucket(bucket, file, null, runtime)
    const before = proxy.count('part')
    expect(await copyToBucket(bucket, file, last(runtime.saves), testRuntime())).toEqual({ state: 'done' })
    expect(proxy.count('part')).toBe(before)
  })

  test('an upload that a lifecycle rule removed is restarted', async () => {
    const file = newFile()
    const saved = await crashAt(4, 'before', file)
    const { bucket } = await through()
    await bucket.abort(file.key, saved?.uploadId ?? '')
    expect(await setup.server.unfinishedUploads('media')).toEqual([])
    expect(await copyToBucket(bucket, file, saved, testRuntime())).toEqual({ state: 'done' })
    await expectCopied(file)
  })

  test('two concurrent runs of the same step both succeed', async () => {
    const file = newFile()
    const saved = await crashAt(3, 'after', file)
    const { bucket } = await through()
    // One run may see the other's completion in progress and then needs real delays.
    const withRealDelays = () => testRuntime({ sleep: (ms, signal) => sleep(ms, undefined, { signal }) })
    const runs = [1, 2].map(() => copyToBucket(bucket, file, saved, withRealDelays()))
    expect(await Promise.all(runs)).toEqual([{ state: 'done' }, { state: 'done' }])
    await expectCopied(file)
  })

  test('credentials that may write but not list resume from the saved parts', async () => {
    const file = newFile()
    const saved = (await crashAt(4, 'after', file)) ?? expect.fail('nothing was saved')
    const denied = { does: 'responds', status: 403, code: 'AccessDenied' } as const
    const { proxy, bucket } = await through(({ kind }) => (kind === 'parts' || kind === 'uploads' ? denied : null))
    expect(await copyToBucket(bucket, file, saved, testRuntime())).toEqual({ state: 'done' })
    expectNoneAgain(proxy.seen, saved)
    await expectCopied(file)
  })
})

test('abandoning a copy removes the upload that a failure left, and keeps its state while the server is down', async () => {
  const down = { does: 'responds', status: 500, code: 'InternalError' } as const
  let isDown = true
  const { bucket } = await through(({ kind }) => (isDown && (kind === 'abort' || kind === 'complete') ? down : null))
  const file = newFile()
  const runtime = testRuntime()
  await copyToBucket(bucket, file, null, runtime)
  expect(await setup.server.unfinishedUploads('media')).toEqual([file.key])
  expect(await abandonCopy(bucket, file.key, last(runtime.saves), runtime)).toBe(false)
  isDown = false
  expect(await abandonCopy(bucket, file.key, last(runtime.saves), runtime)).toBe(true)
})

const emptyState: CopyState = { openedAt: 0, uploadId: null, partSizeBytes: 0, checksums: false, parts: [] }
