import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openSpool } from '../../../container/source/spool.ts'
import { runs } from '../../support/runs.ts'
import { sha256 } from '../../support/sha256.ts'
import { scratchFolder } from '../audio/recordings.ts'

const folder = scratchFolder()

const end = new AbortController()
afterAll(() => end.abort())
const spoolAt = (name: string, options: Partial<Parameters<typeof openSpool>[1]> = {}) =>
  openSpool(join(folder, name), { digest: true, signal: end.signal, ...options })

test('writes in any order produce the same file and the same digest', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 5_000 }),
      fc.infiniteStream(fc.nat()),
      async (bytes, random) => {
        const spool = await spoolAt('shuffled')
        const next = () => random.next().value ?? 0
        const ranges: [number, number][] = []
        for (let at = 0; at < bytes.length; ) {
          const end = Math.min(bytes.length, at + 1 + (next() % 700))
          ranges.push([at, end])
          at = end
        }
        const shuffled = ranges.toSorted(() => (next() % 2) - 0.5)
        await Promise.all(shuffled.map(([start, end]) => spool.write(bytes.subarray(start, end), start)))
        await spool.finish()
        expect(spool.prefixBytes).toBe(bytes.length)
        expect(await spool.sha256()).toBe(sha256(bytes))
        expect(Buffer.compare(await readFile(spool.path), bytes)).toBe(0)
      },
    ),
    runs(50),
  )
})

test('bytes that are written twice count once', async () => {
  let counted = 0
  const spool = await spoolAt('twice', {
    onBytes: (bytes) => {
      counted += bytes
    },
  })
  const bytes = randomBytes(1_000)
  await spool.write(bytes.subarray(0, 600), 0)
  await spool.write(bytes.subarray(400, 1_000), 400)
  await spool.write(bytes.subarray(0, 100), 0)
  expect(counted).toBe(1_000)
  expect(await spool.sha256()).toBe(sha256(bytes))
})

test('only new bytes that were not reserved are taken before they are written', async () => {
  const taken: number[] = []
  const spool = await spoolAt('taken', { take: async (bytes) => void taken.push(bytes) })
  const bytes = randomBytes(1_000)
  await spool.write(bytes.subarray(0, 600), 0)
  await spool.write(bytes.subarray(400, 800), 400)
  await spool.write(bytes.subarray(0, 100), 0)
  await spool.reserve?.(150)
  await spool.write(bytes.subarray(800), 800)
  expect(taken).toEqual([600, 200, 150, 50])
})

test('a wait for bytes ends when they are written, and at the latest when the download ends', async () => {
  const spool = await spoolAt('waiting')
  const ended: string[] = []
  const first = spool.reached(100).then(() => ended.push('first'))
  const all = spool.reached(1_000).then(() => ended.push('all'))
  await spool.write(randomBytes(50), 50)
  expect(ended).toEqual([])
  await spool.write(randomBytes(50), 0)
  await first
  expect(ended).toEqual(['first'])
  await spool.finish()
  await all
  expect(spool.prefixBytes).toBe(100)
})

test('a wait for bytes rejects when the step is aborted', async () => {
  const step = new AbortController()
  const spool = await spoolAt('aborted', { signal: step.signal })
  const waiting = spool.reached(1)
  step.abort(new Error('canceled'))
  await expect(waiting).rejects.toThrow('canceled')
  await expect(spool.reached(1)).rejects.toThrow('canceled')
})

test('the end of the step closes the file', async () => {
  const step = new AbortController()
  const spool = await spoolAt('ended', { signal: step.signal })
  step.abort()
  await expect.poll(() => spool.write(randomBytes(1), 0).catch(({ code }) => code)).toBe('EBADF')
})

test('a file without a digest is closed when its download ends, so that its disk space can be freed', async () => {
  const spool = await spoolAt('finished', { digest: false })
  await spool.write(randomBytes(10), 0)
  await spool.finish()
  await expect(spool.write(randomBytes(1), 10)).rejects.toMatchObject({ code: 'EBADF' })
})
