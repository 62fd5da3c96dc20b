import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createProgressReporter } from '../../../container/steps/progress.ts'
import { HttpStatusError, LeaseLost } from '../../../container/worker-client.ts'
import type { Progress, StepOrder } from '../../../domain/protocol/protocol.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

const startReporter = (
  response: { stop: boolean; agreedBytes?: number } | Error = { stop: false },
  heartbeatMs = 1_000,
  agreed: StepOrder['agreed'] = { bytes: null, seconds: null },
) => {
  const reports: Progress[] = []
  const stop = vi.fn()
  const rejected = vi.fn()
  const worker = {
    reportProgress: async (progress: Progress) => {
      reports.push(progress)
      if (response instanceof Error) throw response
      return response
    },
  }
  const callbacks = { onStop: stop, onRejected: rejected, onError: () => {} }
  const reporter = createProgressReporter({ heartbeatMs, agreed }, worker, callbacks)
  onTestFinished(() => reporter.close())
  return { reports, stop, rejected, reporter }
}

test('progress is sent with each heartbeat, changed or not', async () => {
  const { reports } = startReporter({ stop: false }, 10_000)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(reports.map(({ stage }) => stage)).toEqual(['resolving', 'resolving', 'resolving'])
})

test('the first report follows a second after the first change', async () => {
  const { reports, reporter } = startReporter({ stop: false, agreedBytes: 7 }, 10_000, { bytes: 5, seconds: null })
  const agreed: [number, number][] = []
  reporter.onAgreed(({ bytes, seconds }) => void agreed.push([bytes, seconds]))
  await vi.advanceTimersByTimeAsync(5_000)
  reporter.set({ downloadedBytes: 1 })
  await vi.advanceTimersByTimeAsync(500)
  reporter.set({ downloadedBytes: 2 })
  await vi.advanceTimersByTimeAsync(499)
  expect(reports).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(reports).toHaveLength(1)
  expect(agreed).toEqual([
    [5, Number.POSITIVE_INFINITY],
    [7, Number.POSITIVE_INFINITY],
  ])
})

test('the speed is the smoothed rate since the last report, and null before the download', async () => {
  const { reports, reporter } = startReporter()
  await vi.advanceTimersByTimeAsync(1_000)
  for (const downloadedBytes of [1_000_000, 1_500_000, 1_500_000]) {
    reporter.set({ stage: 'downloading', downloadedBytes })
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(reports.map(({ bytesPerSecond }) => bytesPerSecond)).toEqual([null, 500_000, 500_000, 300_000])
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
  await vi.advanceTimersByTimeAsync(1_000)
  expect(stop).toHaveBeenCalledOnce()
  reporter.close()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(reports).toHaveLength(1)
})

test.each([
  ['a lost lease stops the step', new LeaseLost('409'), 1, 0],
  ['a rejected report ends the attempt', new HttpStatusError('progress', 400), 0, 1],
  ['a report that fails for now does neither', new HttpStatusError('progress', 500), 0, 0],
])('%s', async (_title, error, stops, rejections) => {
  const { stop, rejected } = startReporter(error)
  await vi.advanceTimersByTimeAsync(1_000)
  expect([stop.mock.calls.length, rejected.mock.calls.length]).toEqual([stops, rejections])
})

test('whoever asks for the agreed bytes gets the last answer and each further one', async () => {
  const response = { stop: false, agreedBytes: 5 }
  const { reporter } = startReporter(response)
  await vi.advanceTimersByTimeAsync(1_000)
  const agreed: number[] = []
  reporter.onAgreed(({ bytes }) => void agreed.push(bytes))
  response.agreedBytes = 7
  await reporter.flush()
  expect(agreed).toEqual([5, 7])
})

test('a Worker that says nothing of agreed bytes sets no limit', async () => {
  const { reporter } = startReporter()
  const agreed: number[] = []
  reporter.onAgreed(({ bytes }) => void agreed.push(bytes))
  await vi.advanceTimersByTimeAsync(0)
  expect(agreed).toEqual([Number.POSITIVE_INFINITY])
})

test('a change is reported with the next heartbeat, unless it is flushed, which delays that heartbeat', async () => {
  const { reports, reporter } = startReporter({ stop: false }, 10_000)
  reporter.set({ percent: 1 })
  await vi.advanceTimersByTimeAsync(2_000)
  reporter.set({ stage: 'downloading' })
  await vi.advanceTimersByTimeAsync(8_000)
  expect(reports).toHaveLength(1)
  await reporter.flush()
  await vi.advanceTimersByTimeAsync(9_000)
  expect(reports.map(({ stage }) => stage)).toEqual(['resolving', 'downloading'])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(reports).toHaveLength(3)
})

test('a report that failed for now is sent again after a second', async () => {
  const { reports } = startReporter(new HttpStatusError('progress', 500), 10_000)
  await vi.advanceTimersByTimeAsync(12_500)
  expect(reports).toHaveLength(3)
})
