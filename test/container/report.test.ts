import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Progress } from '../../container/protocol.ts'
import { createReport } from '../../container/steps/report.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

const reporting = (answer: { stop: boolean } = { stop: false }) => {
  const told: Progress[] = []
  const stop = vi.fn()
  const worker = {
    progress: async (progress: Progress) => {
      told.push(progress)
      return answer
    },
  }
  const report = createReport({ worker, onStop: stop, onTrouble: () => {}, beatMs: 1_000 })
  onTestFinished(() => report.close())
  return { told, stop, report }
}

test('a step is heard of at once and then each second, whether or not something changed', async () => {
  const { told } = reporting()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(told.map(({ stage }) => stage)).toEqual(['resolving', 'resolving', 'resolving', 'resolving'])
})

test('the speed is what came since the last beat, smoothed; there is none before the download', async () => {
  const { told, report } = reporting()
  for (const downloadedBytes of [1_000_000, 1_500_000, 1_500_000]) {
    report.set({ stage: 'downloading', downloadedBytes })
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(told.map(({ bytesPerSecond }) => bytesPerSecond)).toEqual([null, 1_000_000, 800_000, 480_000])
})

test('what is told between two beats has the speed of the last', async () => {
  const { told, report } = reporting()
  report.set({ stage: 'downloading', downloadedBytes: 1_000_000 })
  await vi.advanceTimersByTimeAsync(1_100)
  report.set({ downloadedBytes: 9_000_000 })
  await report.flush()
  expect(told.at(-1)).toMatchObject({ downloadedBytes: 9_000_000, bytesPerSecond: 1_000_000 })
})

test('a step is stopped when the Worker says so, and tells nothing after its end', async () => {
  const { told, stop, report } = reporting({ stop: true })
  await vi.advanceTimersByTimeAsync(0)
  expect(stop).toHaveBeenCalledOnce()
  report.close()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told).toHaveLength(1)
})
