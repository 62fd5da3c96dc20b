import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { abandonCopy } from '../../worker/delivery/s3/abandon.ts'
import { copyToBucket } from '../../worker/delivery/s3/copy.ts'
import type { CopyState } from '../../worker/delivery/s3/run.ts'
import { bucketAt, MIB, type SampleFile, sampleFile, storedBytes, testRuntime } from '../s3/delivery.ts'
import { type FlakyS3, type Script, startFlakyS3 } from '../s3/flaky.ts'
import { sigV4Problem } from '../s3/sigv4.ts'
import { startVersity, type Versity } from '../s3/versity.ts'

/** A real S3 server, and before it a network that does what the test says. Three parts: 8 MiB, 8 MiB and a rest. */
const SIZE = 19 * MIB + 123

let server: Versity
let proxy: FlakyS3 | undefined
beforeAll(async () => {
  server = await startVersity()
  await server.makeBucket('media')
})
afterAll(() => server.close())
afterEach(async () => {
  // No test leaves an upload behind, and none sends a request that a strict reader of the rules would refuse.
  expect(await server.unfinishedUploads('media')).toEqual([])
  const whole = (proxy?.seen ?? []).filter(
    ({ headers, body }) => Number(headers['content-length'] ?? 0) === body.length,
  )
  expect(whole.map((request) => sigV4Problem(request, server, Date.now())).filter(Boolean)).toEqual([])
  await proxy?.close()
  proxy = undefined
})

const through = async (script: Script = () => null) => {
  proxy = await startFlakyS3(server.endpoint, script)
  return { proxy, bucket: bucketAt(server, proxy.endpoint, { timeoutMs: 1000, longTimeoutMs: 1000 }) }
}

let files = 0
const newFile = (sizeBytes = SIZE): SampleFile => sampleFile(sizeBytes, `film ${++files}.mp4`)

const expectDelivered = async (file: SampleFile): Promise<void> => {
  expect(Buffer.compare(await storedBytes(server, file.key), file.bytes)).toBe(0)
}
const last = (saves: (CopyState | null)[]): CopyState => saves.at(-1) ?? expect.fail('Nothing is saved')

describe('a file arrives whole', () => {
  test.each([
    ['of one byte', 1, 'put'],
    ['of exactly one part', 8 * MIB, 'put'],
    ['of one part and a byte', 8 * MIB + 1, 'part'],
    ['of three parts', SIZE, 'part'],
  ] as const)('%s', async (_, sizeBytes, kind) => {
    const { proxy, bucket } = await through()
    const file = newFile(sizeBytes)
    expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
    await expectDelivered(file)
    expect(proxy.count(kind)).toBe(kind === 'put' ? 1 : Math.ceil(sizeBytes / (8 * MIB)))
  })

  test('with its type, its name for downloads and its storage class', async () => {
    const { proxy, bucket } = await through()
    const file = newFile()
    const facts = { ...file.facts, storageClass: 'STANDARD_IA' }
    await copyToBucket(bucket, { ...file, facts }, null, testRuntime())
    const { headers } = await server.get('media', file.key)
    expect(headers.get('content-type')).toBe('video/mp4')
    expect(headers.get('content-disposition')).toBe('attachment; filename="film.mp4"')
    expect(headers.get('x-amz-meta-sha256')).toBe(file.facts.sha256)
    expect(proxy.seen.find(({ kind }) => kind === 'create')?.headers['x-amz-storage-class']).toBe('STANDARD_IA')
  })

  test('each part read once, checked by the server, and saved when it is there', async () => {
    const { proxy, bucket } = await through()
    const file = newFile()
    const runtime = testRuntime()
    await copyToBucket(bucket, file, null, runtime)
    expect(file.reads.toSorted((a, b) => a - b)).toEqual([0, 8 * MIB, 16 * MIB])
    const parts = proxy.seen.filter(({ kind }) => kind === 'part')
    expect(parts.every(({ headers }) => headers['x-amz-checksum-sha256'])).toBe(true)
    expect(last(runtime.saves)).toMatchObject({ checksums: true, parts: [{}, {}, {}] })
  })

  test('over a slow network', async () => {
    const { bucket } = await through(({ kind }) => (kind === 'part' ? { does: 'dawdles', ms: 50 } : null))
    const file = newFile()
    expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
    await expectDelivered(file)
  })
})

describe('a server of the old kind, without checksum headers', () => {
  test('that refuses them is served without', async () => {
    const unknown = { does: 'answers', status: 400, code: 'InvalidArgument', message: 'Unsupported header' } as const
    const offers = ['x-amz-checksum-algorithm', 'x-amz-checksum-sha256', 'x-amz-checksum-mode']
    const { bucket } = await through(({ headers }) => (offers.some((name) => name in headers) ? unknown : null))
    const [small, large] = [newFile(1000), newFile()]
    expect(await copyToBucket(bucket, small, null, testRuntime())).toEqual({ state: 'done' })
    expect(await copyToBucket(bucket, large, null, testRuntime())).toEqual({ state: 'done' })
    await expectDelivered(small)
    await expectDelivered(large)
  })

  test('that passes over them in silence is asked again without, and no upload is left', async () => {
    const { proxy, bucket } = await through(() => ({ does: 'forgets headers', starting: 'x-amz-checksum' }))
    const file = newFile()
    const runtime = testRuntime()
    expect(await copyToBucket(bucket, file, null, runtime)).toEqual({ state: 'done' })
    await expectDelivered(file)
    expect(proxy.count('create')).toBe(2)
    expect(last(runtime.saves).checksums).toBe(false)
  })
})

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
    const { bucket } = await through(({ kind, nth }) => (kind === 'part' && nth === 0 ? { does: 'hangs' } : null))
    const file = newFile()
    expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
    await expectDelivered(file)
  })

  test.each(['create', 'part', 'complete', 'head'] as const)(
    'whose answer to a %s is lost ends the same',
    async (lost) => {
      const { bucket } = await through(({ kind, nth }) =>
        kind === lost && nth === 0 ? { does: 'loses the answer' } : null,
      )
      const file = newFile()
      expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
      await expectDelivered(file)
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
    const file = newFile()
    expect(await copyToBucket(bucket, file, null, testRuntime())).toEqual({ state: 'done' })
    await expectDelivered(file)
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
    // A part of the failed run may arrive late, so requests are not counted: none is for a part that was there.
    const again = proxy.seen.slice(before).filter(({ kind }) => kind === 'part')
    const there = last(runtime.saves).parts.map(({ number }) => `partNumber=${number}&`)
    expect(again.filter(({ target }) => there.some((part) => target.includes(part)))).toEqual([])
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

describe('when it can’t be', () => {
  test('a bucket that says no is asked once, in its words, and the upload is aborted', async () => {
    const no = { does: 'answers', status: 403, code: 'AccessDenied', message: 'Access Denied by policy' } as const
    const { proxy, bucket } = await through(({ kind, nth }) => (kind === 'part' && nth === 2 ? no : null))
    const runtime = testRuntime()
    const outcome = await copyToBucket(bucket, newFile(), null, runtime)
    expect(outcome).toMatchObject({ state: 'failed', failure: { code: 'STORAGE_DENIED', retryable: false } })
    expect(outcome).toMatchObject({ failure: { words: 'AccessDenied: Access Denied by policy' } })
    expect(proxy.count('abort')).toBe(1)
    expect(runtime.saves.at(-1)).toBeNull()
    expect(runtime.waits).toEqual([])
  })

  test('a canceled job stops in the middle of a part and leaves nothing', async () => {
    const runtime = testRuntime()
    const { bucket } = await through(({ kind, nth }) => {
      if (kind !== 'part' || nth < 1) return null
      queueMicrotask(runtime.cancel)
      return { does: 'hangs' }
    })
    expect(await copyToBucket(bucket, newFile(), null, runtime)).toEqual({ state: 'canceled' })
    expect(runtime.saves.at(-1)).toBeNull()
  })

  test('a file beyond what can be delivered is refused before anything is sent', async () => {
    const { proxy, bucket } = await through()
    const outcome = await copyToBucket(bucket, { ...newFile(1), sizeBytes: 2 ** 40 }, null, testRuntime())
    expect(outcome).toMatchObject({ state: 'failed', failure: { code: 'STORAGE_REFUSED' } })
    expect(proxy.seen).toEqual([])
  })

  test('a source that is shorter than announced is our own fault and is thrown', async () => {
    const { bucket } = await through()
    const file = newFile(1000)
    const read = () => file.read(0, 999)
    await expect(copyToBucket(bucket, { ...file, read }, null, testRuntime())).rejects.toThrow('999 of 1000 bytes')
  })
})

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
  /** Dies when the state is saved for the nth time: before it is kept, or right after. */
  const dyingAt = (nth: number, when: 'before' | 'after') => {
    const kept: (CopyState | null)[] = []
    let calls = 0
    const save = async (state: CopyState | null) => {
      const dies = ++calls >= nth
      if (!dies || (when === 'after' && calls === nth)) kept.push(structuredClone(state))
      if (dies) throw new Error('The process died')
    }
    return { kept, runtime: testRuntime({ save }) }
  }

  test.each([1, 2, 3, 4].flatMap((nth) => [[nth, 'before'] as const, [nth, 'after'] as const]))(
    'at save %i, %s it was kept, the file arrives and no upload is left',
    async (nth, when) => {
      const { bucket } = await through()
      const file = newFile()
      const { kept, runtime } = dyingAt(nth, when)
      await expect(copyToBucket(bucket, file, null, runtime)).rejects.toThrow('The process died')
      expect(await copyToBucket(bucket, file, kept.at(-1) ?? null, testRuntime())).toEqual({ state: 'done' })
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
    const { bucket } = await through()
    const file = newFile()
    const { kept, runtime } = dyingAt(4, 'before')
    await copyToBucket(bucket, file, null, runtime).catch(() => {})
    const state = last(kept)
    // A part that was on its way brings the upload back to life.
    const removed = async () => {
      await bucket.abort(file.key, state.uploadId ?? '')
      return await server.unfinishedUploads('media')
    }
    await expect.poll(removed).toEqual([])
    expect(await copyToBucket(bucket, file, state, testRuntime())).toEqual({ state: 'done' })
    await expectDelivered(file)
  })

  test('two runs of the same step end as one', async () => {
    const { bucket } = await through()
    const file = newFile()
    const { kept, runtime } = dyingAt(3, 'after')
    await copyToBucket(bucket, file, null, runtime).catch(() => {})
    // One may find the other in the midst of its completion, and has to wait for real.
    const patient = () => testRuntime({ sleep: (ms, signal) => sleep(ms / 5, undefined, { signal }) })
    const twins = [1, 2].map(() => copyToBucket(bucket, file, last(kept), patient()))
    expect(await Promise.all(twins)).toEqual([{ state: 'done' }, { state: 'done' }])
    await expectDelivered(file)
  })

  test('with a key that may write but not list, parts go on where they were', async () => {
    const no = { does: 'answers', status: 403, code: 'AccessDenied' } as const
    const { proxy, bucket } = await through(({ kind }) => (kind === 'parts' || kind === 'uploads' ? no : null))
    const file = newFile()
    const { kept, runtime } = dyingAt(4, 'after')
    await copyToBucket(bucket, file, null, runtime).catch(() => {})
    const before = proxy.count('part')
    expect(await copyToBucket(bucket, file, last(kept), testRuntime())).toEqual({ state: 'done' })
    expect(proxy.count('part') - before).toBe(3 - last(kept).parts.length)
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
    expect(await server.unfinishedUploads('media')).toEqual([file.key])
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
