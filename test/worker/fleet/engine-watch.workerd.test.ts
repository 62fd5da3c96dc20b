import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Fleet, type LostPlace } from '../../../domain/fleet/fleet.ts'
import type { Engine, StateAnswer } from '../../../worker/engine/client.ts'
import type { LaunchResult } from '../../../worker/engine/object.ts'
import { CONTAINERS, ELSEWHERE, EngineWatch, type Patience } from '../../../worker/fleet/engine-watch.ts'
import { capacity, placed, stateWith, step } from '../../domain/fleet/small-fleet.ts'

/** How long the fleet waits for an engine, which needs a clock that a test moves. */

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** A fleet with one engine, which starts now and whose answers a test chooses. */
const watchOne = (patience: Patience) => {
  const names = ['engine-0']
  const fleet = new Fleet({ names, warm: 1, expected: capacity, newId: () => 'place-1' })
  fleet.scale(Date.now())
  const calls: string[] = []
  const answers = {
    launch: async (): Promise<LaunchResult> => 'running',
    state: async (): Promise<StateAnswer> => stateWith(),
  }
  const engine = {
    launch: () => answers.launch(),
    state: () => answers.state(),
    shutDown: async () => void calls.push('shutDown'),
    destroy: async () => void calls.push('destroy'),
  } as unknown as Engine
  const lost: LostPlace[] = []
  const onAnswer = (_name: string, _state: unknown, places: LostPlace[]) => void lost.push(...places)
  const watcher = { engine: () => engine, onAnswer, onStarted: () => {} }
  const watch = new EngineWatch(fleet, watcher, patience)
  return { fleet, watch, answers, calls, lost, engines: () => fleet.engines().map(({ status }) => status) }
}

const never = new Promise<never>(() => {})

test('an engine whose image takes four minutes to fetch comes up, and is not destroyed', async () => {
  const { watch, answers, calls, engines } = watchOne(CONTAINERS)
  const upAt = Date.now() + 4 * MINUTE
  answers.launch = async () => (Date.now() < upAt ? 'starting' : 'running')
  const starting = watch.start('engine-0')
  await vi.advanceTimersByTimeAsync(4 * MINUTE - SECOND)
  expect(engines()).toEqual(['starting'])
  await vi.advanceTimersByTimeAsync(2 * SECOND)
  await starting
  expect([engines(), calls]).toEqual([['running'], []])
})

test.each([
  ['answers that it is still starting', async (): Promise<LaunchResult> => 'starting'],
  ['does not answer', () => never],
])('an engine that %s is destroyed five minutes after its start was decided', async (_, launch) => {
  const { watch, answers, calls, engines } = watchOne(CONTAINERS)
  answers.launch = launch
  const starting = watch.start('engine-0')
  await vi.advanceTimersByTimeAsync(5 * MINUTE - SECOND)
  expect([engines(), calls]).toEqual([['starting'], []])
  await vi.advanceTimersByTimeAsync(MINUTE / 2)
  await starting
  expect([engines(), calls]).toEqual([[], ['destroy']])
})

test('an engine that ended, or that someone else starts and that does not answer, has failed at once', async () => {
  for (const [patience, result] of [
    [CONTAINERS, 'failed'],
    [ELSEWHERE, 'starting'],
  ] as const) {
    const { watch, answers, engines } = watchOne(patience)
    answers.launch = async () => result
    await watch.start('engine-0')
    expect(engines()).toEqual([])
  }
})

/** The engine runs a step when it is asked, and answers with `state`. */
const askOne = (patience: Patience, state: () => Promise<StateAnswer>) => {
  const { fleet, watch, answers, ...rest } = watchOne(patience)
  fleet.engineState('engine-0', stateWith(), Date.now())
  const place = placed(fleet, step('a', 'a1'), Date.now())
  vi.setSystemTime(Date.now() + SECOND)
  let asked = 0
  answers.state = () => {
    asked++
    return state()
  }
  const asking = watch.ask('engine-0')
  return { ...rest, place, asking, asked: () => asked, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
}

const failsAtOnce = async () => null

test('a container that the platform says has ended is gone at once, and its step has used an attempt', async () => {
  const { asking, lost, place, calls, engines } = askOne(CONTAINERS, async () => 'stopped')
  await asking
  expect([engines(), lost, calls]).toEqual([[], [{ place, hasEngineDied: true }], []])
})

test.each([
  ['does not answer', () => never],
  ['fails at once, because its object is restarted', failsAtOnce],
])(
  'a container that %s goes on for 15 s, then it is told to stop and its step has used no attempt',
  async (_, state) => {
    const { asking, asked, lost, place, calls, engines, pass } = askOne(CONTAINERS, state)
    await pass(15 * SECOND - 1)
    expect([engines(), lost, calls]).toEqual([['running'], [], []])
    expect(asked()).toBeGreaterThan(2)
    await pass(5 * SECOND)
    await asking
    expect([engines(), lost, calls]).toEqual([[], [{ place, hasEngineDied: false }], ['shutDown']])
  },
)

test('a container that answers after ten seconds is not gone', async () => {
  const wellAt = Date.now() + 10 * SECOND
  const { asking, asked, lost, place, calls, engines, pass } = askOne(CONTAINERS, async () =>
    Date.now() < wellAt ? null : stateWith([place]),
  )
  await pass(15 * SECOND)
  await asking
  expect([engines(), lost, calls]).toEqual([['running'], [], []])
  expect(asked()).toBeGreaterThan(2)
})

test('a process that someone else runs is gone when it has failed to answer twice, and its step has used an attempt', async () => {
  const { asking, asked, lost, place, calls, engines } = askOne(ELSEWHERE, failsAtOnce)
  await asking
  expect([asked(), engines(), lost, calls]).toEqual([2, [], [{ place, hasEngineDied: true }], []])
})
