import { describe, expect, test } from 'vitest'
import {
  copyFiles,
  type FilesProgress,
  type FilesRuntime,
  type FilesState,
  removeCopies,
} from '../../../worker/bucket/s3/copy-files.ts'
import { OutOfTime } from '../../../worker/bucket/s3/copy-state.ts'
import { payloadOf } from '../../../worker/bucket/s3/payload.ts'
import { bucketAt, MIB, type SampleFile, testRuntime } from '../../doubles/s3/copy-fixtures.ts'
import { copySetup, SIZE } from './copy-setup.ts'

const setup = copySetup()
const { through, newFile, expectCopied } = setup

const denied = { does: 'responds', status: 403, code: 'AccessDenied' } as const
const down = { does: 'responds', status: 503, code: 'SlowDown' } as const

/** Two small files and one of three parts. */
const newFiles = () => [newFile(1_000), newFile(2_000), newFile(SIZE)] as const

const deliveryOf = (files: readonly SampleFile[], jobId = 'imp_1') => ({
  jobId,
  files: files.map(({ key, ...content }) => ({ key, open: async () => content })),
})

interface Save extends FilesState {
  progress: FilesProgress
}

/** `onSave` is called with each state before it is stored, and with the number of earlier ones. */
const filesRuntime = (onSave: (state: FilesState, nth: number) => void = () => {}) => {
  const saves: Save[] = []
  const { cancel, ...base } = testRuntime()
  const runtime: FilesRuntime = {
    ...base,
    save: async (state, progress) => {
      onSave(state, saves.length)
      saves.push(structuredClone({ ...state, progress }))
    },
  }
  return { runtime, saves, cancel }
}

const keysOf = (targets: { target: string }[]) =>
  targets.map(({ target }) => decodeURIComponent(target).slice('/media/'.length))

const exists = async (key: string): Promise<boolean> =>
  (await bucketAt(setup.server, setup.server.endpoint).head(key, false)) !== null

describe('the files of a job', () => {
  test('are copied in their order, each opened when its turn comes and with the id of the job', async () => {
    const { proxy, bucket } = await through()
    const files = newFiles()
    const events: string[] = []
    const delivery = deliveryOf(files)
    const logged = delivery.files.map(({ key, open }) => {
      const openLogged = () => {
        events.push(`open ${key}`)
        return open()
      }
      return { key, open: openLogged }
    })
    const { runtime, saves } = filesRuntime(({ key, state }) => {
      if (!state) events.push(`save ${key}`)
    })
    expect(await copyFiles(bucket, { ...delivery, files: logged }, null, runtime)).toEqual({ state: 'done' })
    for (const file of files) await expectCopied(file)
    expect(events).toEqual(files.flatMap(({ key }) => [`open ${key}`, `save ${key}`]))
    expect(keysOf(proxy.seen.filter(({ kind }) => kind === 'put'))).toEqual([files[0].key, files[1].key])
    for (const { key } of files) expect((await bucket.head(key, false))?.jobId).toBe('imp_1')
    expect(saves.map(({ progress }) => progress.percent)).toEqual([0, 0, 0, 0, 0, 42, 84, 99])
    expect(saves.at(-1)?.progress.sentBytes).toBe(3_000 + 24 * MIB)
  })

  test.each([0, 1, 2])('are removed as a whole after a crash once file %d is stored', async (nth) => {
    const { bucket } = await through()
    const files = newFiles()
    const key = files[nth]?.key
    const { runtime, saves } = filesRuntime(({ copied }) => {
      if (copied.length > nth) throw new Error('crash')
    })
    const copying = copyFiles(bucket, deliveryOf(files), null, runtime)
    // Nothing is saved after the last file.
    if (nth < 2) await expect(copying).rejects.toThrow('crash')
    else await copying
    expect(await exists(`${key}`)).toBe(true)
    const left = saves.at(-1) ?? expect.fail('nothing was saved')
    expect(left.key).toBe(key)
    expect(await removeCopies(bucket, 'imp_1', [...left.copied, left.key], runtime)).toBeNull()
    for (const file of files) expect(await exists(file.key)).toBe(false)
  })

  test('are not sent again by the next run, which counts only what it sends itself', async () => {
    const { proxy, bucket } = await through()
    const files = [newFile(1_000), newFile(2_000), newFile(60 * MIB)] as const
    let isOver = false
    const first = filesRuntime(({ state }) => {
      isOver = (state?.parts.length ?? 0) > 0
    })
    Object.defineProperty(first.runtime, 'deadline', { get: () => (isOver ? 0 : Number.POSITIVE_INFINITY) })
    expect(await copyFiles(bucket, deliveryOf(files), null, first.runtime)).toEqual({ state: 'more' })
    const saved = first.saves.at(-1) ?? expect.fail('nothing was saved')
    expect(saved.copied).toEqual([files[0].key, files[1].key])

    const resumed = saved.state?.parts.length ?? 0
    const second = filesRuntime()
    expect(await copyFiles(bucket, deliveryOf(files), saved, second.runtime)).toEqual({ state: 'done' })
    for (const file of files) await expectCopied(file)
    expect(proxy.count('put')).toBe(2)
    expect(proxy.count('part')).toBe(8)
    expect(second.saves[0]?.progress).toEqual({ sentBytes: 0, percent: Math.floor((100 * 8 * resumed) / 60) })
    expect(second.saves.at(-1)?.progress.sentBytes).toBe(8 * MIB * (8 - resumed))
  })

  test('are copied in several runs if there are very many', async () => {
    const { bucket } = await through()
    const files = Array.from({ length: 101 }, () => newFile(10))
    const first = filesRuntime()
    expect(await copyFiles(bucket, deliveryOf(files), null, first.runtime)).toEqual({ state: 'more' })
    expect(await exists(files[99]?.key ?? '')).toBe(true)
    expect(await exists(files[100]?.key ?? '')).toBe(false)
    const saved = first.saves.at(-1) ?? expect.fail('nothing was saved')
    expect(await copyFiles(bucket, deliveryOf(files), saved, filesRuntime().runtime)).toEqual({ state: 'done' })
    for (const file of files.slice(98)) await expectCopied(file)
  })

  test('are not begun by a run that has lost its lease', async () => {
    const { proxy, bucket } = await through()
    const files = newFiles()
    const { runtime } = filesRuntime((_, nth) => {
      if (nth === 1) throw new OutOfTime()
    })
    expect(await copyFiles(bucket, deliveryOf(files), null, runtime)).toEqual({ state: 'more' })
    expect(keysOf(proxy.seen.filter(({ kind }) => kind === 'put'))).toEqual([files[0].key])
  })

  test('stay for the cleanup if one of them is refused', async () => {
    const files = newFiles()
    const { bucket } = await through(({ kind, nth }) => (kind === 'put' && nth === 1 ? denied : null))
    const { runtime, saves } = filesRuntime()
    const outcome = await copyFiles(bucket, deliveryOf(files), null, runtime)
    expect(outcome).toMatchObject({ state: 'failed', refusal: { code: 'STORAGE_DENIED' } })
    expect(saves.at(-1)).toMatchObject({ copied: [files[0].key], key: files[1].key })
    expect(await exists(files[0].key)).toBe(true)
  })
})

describe('the cleanup of a job', () => {
  const copied = async (jobId: string, files: readonly SampleFile[]) => {
    const { bucket } = await through()
    await copyFiles(bucket, deliveryOf(files, jobId), null, filesRuntime().runtime)
  }
  const { runtime } = filesRuntime()

  test('keeps the same files of a job that was started again, and the caller’s own', async () => {
    const { bucket } = await through()
    const files = newFiles()
    const [ours, again, own] = files
    await copied('imp_1', files)
    await copied('imp_2', [again])
    await bucket.put(own.key, await payloadOf(own.bytes), own.metadata, true)
    expect(await removeCopies(bucket, 'imp_1', [...files.map(({ key }) => key), 'never copied'], runtime)).toBeNull()
    expect(await exists(ours.key)).toBe(false)
    await expectCopied(again)
    await expectCopied(own)
  })

  test('removes what it may if an object must not be removed', async () => {
    const files = newFiles()
    await copied('imp_1', files)
    const { bucket } = await through(({ kind, nth }) => (kind === 'delete' && nth === 0 ? denied : null))
    const refusal = await removeCopies(
      bucket,
      'imp_1',
      files.map(({ key }) => key),
      runtime,
    )
    expect(refusal).toMatchObject({ code: 'STORAGE_DENIED', retryable: false })
    const left = await Promise.all(files.map(({ key }) => exists(key)))
    expect(left.filter(Boolean)).toHaveLength(1)
  })

  test('ends for now if the bucket is down', async () => {
    const files = newFiles()
    await copied('imp_1', files)
    const { bucket } = await through(({ kind }) => (kind === 'head' ? down : null))
    const refusal = await removeCopies(
      bucket,
      'imp_1',
      files.map(({ key }) => key),
      runtime,
    )
    expect(refusal).toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryable: true })
  })
})
