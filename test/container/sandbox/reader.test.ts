import { expect, onTestFinished, test, vi } from 'vitest'
import { inReader } from '../../../container/sandbox/reader.ts'
import { cpuLimitOf, descendantsOf, lowerCpuLimit, mainThreadMs, type Process } from '../processes.ts'

const samples = inReader<typeof import('./reader-samples.ts')>(new URL('./reader-samples.ts', import.meta.url))
const { signal } = new AbortController()

test('a function of another module returns its result', async () => {
  expect(await samples('sum', [1, 2, 3], signal)).toBe(6)
})

test('bytes are copied in both directions', async () => {
  const bytes = new Uint8Array(3_000_000).fill(7)
  bytes[0] = 1
  const reversed = await samples('reversed', [bytes], signal)
  expect([reversed.length, reversed[0], reversed.at(-1)]).toEqual([3_000_000, 7, 1])
})

test('a failure of the source keeps its code and message', async () => {
  await expect(samples('fail', [], signal)).rejects.toMatchObject({ code: 'SOURCE_LIVE', message: 'still running' })
})

test('an exception of a parser means that the source is unsupported', async () => {
  await expect(samples('crash', [], signal)).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
})

test('requests use the same process, one after the other', async () => {
  const first = await samples('processId', [], signal)
  expect(await samples('processId', [], signal)).toBe(first)
  // A request waits for so long only.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const ids = await Promise.all([1, 2, 3].map(() => samples('processId', [], signal)))
  expect(ids).toEqual([first, first, first])
})

test('while a process is busy for long, requests use another one', async () => {
  const controller = new AbortController()
  const spinning = samples('spin', [], controller.signal)
  expect(await samples('sum', [1, 2], signal)).toBe(3)
  controller.abort(new Error('the job was canceled'))
  await expect(spinning).rejects.toThrow('the job was canceled')
})

test('an aborted request ends its process, and the next request works', async () => {
  const controller = new AbortController()
  const spinning = samples('spin', [], controller.signal)
  controller.abort(new Error('the job was canceled'))
  await expect(spinning).rejects.toThrow('the job was canceled')
  expect(await samples('sum', [1], signal)).toBe(1)
})

test('a function that uses too much memory is ended', async () => {
  await expect(samples('hoard', [], signal)).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  expect(await samples('sum', [1], signal)).toBe(1)
})

/** Processes that serve the functions of reader-samples.ts, busy or idle. */
const readers = () =>
  descendantsOf(process.pid).filter(({ args }) => args.includes('reader-process.ts') && args.includes('reader-samples'))

test('a function that computes for too long is ended, and the event loop stays free', async () => {
  const before = new Map(readers().map(({ pid }) => [pid, mainThreadMs(pid)]))
  let turns = 0
  const timer = setInterval(() => turns++, 20)
  const spinning = expect(samples('spin', [], signal)).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  const isSpinning = ({ pid }: Process) => mainThreadMs(pid) - (before.get(pid) ?? 0) > 1_000
  const { pid } = await vi.waitUntil(() => readers().find(isSpinning), { timeout: 60_000 })
  expect(cpuLimitOf(pid)).toBe(10)
  // So that the test does not take ten seconds of CPU time.
  await lowerCpuLimit(pid, 2)
  await spinning
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
})
