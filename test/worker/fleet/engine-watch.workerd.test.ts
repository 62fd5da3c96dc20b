import { expect, test } from 'vitest'
import { Fleet, type LostPlace } from '../../../domain/fleet/fleet.ts'
import type { Engine, StateAnswer } from '../../../worker/engine/engine.ts'
import type { LaunchResult } from '../../../worker/engine/host.ts'
import { CONTAINERS, ELSEWHERE, EngineWatch, type Patience } from '../../../worker/fleet/engine-watch.ts'
import { capacity, placed, stateWith, step } from '../../rules/domain/fleet/small-fleet.ts'

/** How long the fleet waits for an engine. Other objects run in this process, so only the watch has the clock of the test. */

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** A clock that moves when the test says so. */
const testTime = () => {
  let now = Date.now()
  let waiting: { at: number; resolve: () => void }[] = []
  /** All that follows from what has happened so far. */
  const settled = () => new Promise((resolve) => setTimeout(resolve))
  return {
    now: () => now,
    wait: (ms: number, signal?: AbortSignal): Promise<void> => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const waits = { at: now + ms, resolve }
      waiting.push(waits)
      signal?.addEventListener('abort', () => {
        waiting = waiting.filter((each) => each !== waits)
        reject(signal.reason)
      })
      return promise
    },
    pass: async (ms: number): Promise<void> => {
      const until = now + ms
      for (;;) {
        await settled()
        const [next] = waiting.toSorted((a, b) => a.at - b.at)
        if (!next || next.at > until) break
        now = next.at
        waiting = waiting.filter((each) => each !== next)
        next.resolve()
      }
      now = until
    },
  }
}

/** A fleet with one engine, which starts now and whose answers a test chooses. */
const watchOne = (patience: Patience) => {
  const time = testTime()
  const names = ['engine-0']
  const fleet = new Fleet({ names, warm: 1, expected: capacity, newId: () => 'place-1' })
  fleet.scale(time.now())
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
  const watch = new EngineWatch(fleet, watcher, patience, time)
  return { time, fleet, watch, answers, calls, lost, engines: () => fleet.engines().map(({ status }) => status) }
}

const never = new Promise<never>(() => {})

test('an engine whose image takes four minutes to fetch comes up, and is not destroyed', async () => {
  const { time, watch, answers, calls, engines } = watchOne(CONTAINERS)
  const upAt = time.now() + 4 * MINUTE
  answers.launch = async () => (time.now() < upAt ? 'starting' : 'running')
  const starting = watch.start('engine-0')
  await time.pass(4 * MINUTE - SECOND)
  expect(engines()).toEqual(['starting'])
  await time.pass(2 * SECOND)
  await starting
  expect([engines(), calls]).toEqual([['running'], []])
})

test.each([
  ['answers that it is still starting', async (): Promise<LaunchResult> => 'starting'],
  ['does not answer', () => never],
])('an engine that %s is destroyed five minutes after its start was decided', async (_, launch) => {
  const { time, watch, answers, calls, engines } = watchOne(CONTAINERS)
  answers.launch = launch
  const starting = watch.start('engine-0')
  await time.pass(5 * MINUTE - SECOND)
  expect([engines(), calls]).toEqual([['starting'], []])
  await time.pass(MINUTE / 2)
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
const askOne = async (patience: Patience, state: (sinceMs: number) => Promise<StateAnswer>) => {
  const { time, fleet, watch, answers, ...rest } = watchOne(patience)
  fleet.engineState('engine-0', stateWith(), time.now())
  const place = placed(fleet, step('a', 'a1'), time.now())
  await time.pass(SECOND)
  const from = time.now()
  let asked = 0
  answers.state = () => {
    asked++
    return state(time.now() - from)
  }
  const asking = watch.ask('engine-0')
  return { ...rest, place, asking, asked: () => asked, pass: time.pass }
}

const failsAtOnce = async () => null

test('a container that the platform says has ended is gone at once, and its step has used an attempt', async () => {
  const { asking, lost, place, calls, engines } = await askOne(CONTAINERS, async () => 'stopped')
  await asking
  expect([engines(), lost, calls]).toEqual([[], [{ place, hasEngineDied: true }], []])
})

test('a container that drained and exited is gone at once, and its step has used no attempt', async () => {
  const { asking, lost, place, calls, engines } = await askOne(CONTAINERS, async () => 'drained')
  await asking
  expect([engines(), lost, calls]).toEqual([[], [{ place, hasEngineDied: false }], []])
})

test.each([
  ['does not answer', () => never],
  ['fails at once, because its object is restarted', failsAtOnce],
])(
  'a container that %s goes on for 15 s, then it is told to stop and its step has used no attempt',
  async (_, state) => {
    const { asking, asked, lost, place, calls, engines, pass } = await askOne(CONTAINERS, state)
    await pass(15 * SECOND - 1)
    expect([engines(), lost, calls]).toEqual([['running'], [], []])
    expect(asked()).toBeGreaterThan(2)
    await pass(5 * SECOND)
    await asking
    expect([engines(), lost, calls]).toEqual([[], [{ place, hasEngineDied: false }], ['shutDown']])
  },
)

test('a container that answers after ten seconds is not gone', async () => {
  const { asking, asked, lost, place, calls, engines, pass } = await askOne(CONTAINERS, async (sinceMs) =>
    sinceMs < 10 * SECOND ? null : stateWith([place]),
  )
  await pass(15 * SECOND)
  await asking
  expect([engines(), lost, calls]).toEqual([['running'], [], []])
  expect(asked()).toBeGreaterThan(2)
})

test('a process that someone else runs is gone when it has failed to answer twice, and its step has used an attempt', async () => {
  const { asking, asked, lost, place, calls, engines } = await askOne(ELSEWHERE, failsAtOnce)
  await asking
  expect([asked(), engines(), lost, calls]).toEqual([2, [], [{ place, hasEngineDied: true }], []])
})
