import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createProgressReporter } from '../../../container/steps/progress-reporter.ts'
import type { Progress } from '../../../domain/protocol/protocol.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

const startReporter = (response: { stop: boolean } = { stop: false }) => {
  const reports: Progress[] = []
  const stop = vi.fn()
  const worker = {
    reportProgress: async (progress: Progress) => {
      reports.push(progress)
      return response
    },
  }
  const reporter = createProgressReporter({ worker, onStop: stop, onError: () => {}, intervalMs: 1_000 })
  onTestFinished(() => reporter.close())
  return { reports, stop, reporter }
}

test('progress is sent at once and then every second, changed or not', async () => {
  const { reports } = startReporter()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(reports.map(({ stage }) => stage)).toEqual(['resolving', 'resolving', 'resolving', 'resolving'])
})

test('the speed is the smoothed rate since the last report, and null before the download', async () => {
  const { reports, reporter } = startReporter()
  for (const downloadedBytes of [1_000_000, 1_500_000, 1_500_000]) {
    reporter.set({ stage: 'downloading', downloadedBytes })
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(reports.map(({ bytesPerSecond }) => bytesPerSecond)).toEqual([null, 1_000_000, 800_000, 480_000])
})

test('a report between two intervals has the speed of the last one', async () => {
  const { reports, reporter } = startReporter()
  reporter.set({ stage: 'downloading', downloadedBytes: 1_000_000 })
  await vi.advanceTimersByTimeAsync(1_100)
  reporter.set({ downloadedBytes: 9_000_000 })
  await reporter.flush()
  expect(reports.at(-1)).toMatchObject({ downloadedBytes: 9_000_000, bytesPerSecond: 1_000_000 })
})

test('a stop response stops the step, and nothing is sent after close', async () => {
  const { reports, stop, reporter } = startReporter({ stop: true })
  await vi.advanceTimersByTimeAsync(0)
  expect(stop).toHaveBeenCalledOnce()
  reporter.close()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(reports).toHaveLength(1)
})
