import { beforeEach, expect, test, vi } from 'vitest'
import type { StepFunction } from '../../../container/steps/step.ts'
import { createTurns } from '../../../container/steps/turns.ts'
import type { FetchOrder, StepResult } from '../../../domain/protocol/protocol.ts'

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

const never = new AbortController().signal

/** Two cores, of which `idle.cores` are idle. Steps run until they are ended. */
const twoCores = () => {
  const idle = { cores: 0 }
  const inTurn = createTurns(2, () => idle.cores)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const run: StepFunction<FetchOrder> = ({ jobId }) => {
    begun.push(jobId)
    return new Promise<StepResult>((resolve) => ends.set(jobId, () => resolve({} as StepResult)))
  }
  const start = (jobId: string, signal = never) => inTurn(run)({ jobId } as never, { signal } as never)
  const startAll = (...jobIds: string[]) => {
    for (const jobId of jobIds) void start(jobId)
    return vi.advanceTimersByTimeAsync(0)
  }
  const end = (jobId: string) => {
    ends.get(jobId)?.()
    return vi.advanceTimersByTimeAsync(0)
  }
  return { idle, begun, start, startAll, end }
}

test('a step for each core begins at once, and the others in their order as those before them end', async () => {
  const { begun, startAll, end } = twoCores()
  await startAll('a', 'b', 'c', 'd')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(begun).toEqual(['a', 'b'])
  await end('b')
  expect(begun).toEqual(['a', 'b', 'c'])
  await end('a')
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
})

test('while a core is idle, another step begins every tenth of a second', async () => {
  const { idle, begun, startAll, end } = twoCores()
  await startAll('a', 'b', 'c', 'd', 'e')
  idle.cores = 0.5
  await vi.advanceTimersByTimeAsync(200)
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  idle.cores = 0.1
  await vi.advanceTimersByTimeAsync(1_000)
  expect(begun).toHaveLength(4)
  // Three still run.
  await end('a')
  expect(begun).toHaveLength(4)
})

test('a step begins after two seconds, although no core is idle', async () => {
  const { begun, startAll } = twoCores()
  await startAll('a', 'b', 'c')
  await vi.advanceTimersByTimeAsync(1_900)
  expect(begun).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(100)
  expect(begun).toEqual(['a', 'b', 'c'])
})

test('a step that is stopped while it waits does not begin, and leaves its turn to the next one', async () => {
  const { begun, start, startAll, end } = twoCores()
  await startAll('a', 'b')
  const stopping = new AbortController()
  const stopped = expect(start('c', stopping.signal)).rejects.toThrow('stopped')
  await startAll('d')
  stopping.abort(new Error('stopped'))
  await stopped
  await end('a')
  expect(begun).toEqual(['a', 'b', 'd'])
})

test('a step that is stopped just as its turn comes gives the turn back', async () => {
  const { begun, start, startAll, end } = twoCores()
  await startAll('a', 'b')
  const stopping = new AbortController()
  const stopped = expect(start('c', stopping.signal)).rejects.toThrow('stopped')
  stopping.abort(new Error('stopped'))
  await end('a')
  await stopped
  await startAll('d')
  expect(begun).toEqual(['a', 'b', 'd'])
})
