import type { Fleet, LostPlace } from '../../domain/fleet/fleet.ts'
import type { EngineState } from '../../domain/protocol/protocol.ts'
import { type Backoff, backoffMs } from '../../domain/retry.ts'
import type { Engine, StateAnswer } from '../engine/engine.ts'

/** An engine that answers but refuses orders gets none for this long, and twice as long each further time, or until it is heard. */
export const REFUSED: Backoff = { firstMs: 2_000, longestMs: 60_000 }
/** The pause of an engine whose reports do not arrive. That is known only when a lease has ended, so trying it costs a minute. */
export const SILENT: Backoff = { firstMs: 30_000, longestMs: 600_000 }
/** An engine that still answers so long after it was told to stop was started again. */
const STOP_MS = 30_000

export interface Watcher {
  engine(name: string): Engine
  /** What an engine answered, and the places that are lost. null: it is gone. */
  onAnswer(name: string, state: EngineState | null, lost: LostPlace[]): void
  /** An engine that was told to start has answered for the first time. */
  onStarted(durationMs: number): unknown
}

export interface Patience {
  /** An engine that has not come up so long after its start was decided is replaced. */
  launchMs: number
  /** An engine that has not answered for so long, and at least twice, is gone. */
  silenceMs: number
  /** Nothing but its silence says that an engine has ended, so the steps on it may be why. */
  isSilenceAnExit: boolean
}

/**
 * A machine that does not have the image fetches it first. The platform says when a container has ended. Calls of one
 * that goes on can fail for some seconds, and all at once: a deploy restarts its object, or its machine is busy.
 */
export const CONTAINERS: Patience = { launchMs: 5 * 60_000, silenceMs: 15_000, isSilenceAnExit: false }
/** A process that someone else starts runs or does not, which is known at once when its connections break. */
export const ELSEWHERE: Patience = { launchMs: 0, silenceMs: 0, isSilenceAnExit: true }

/** Passed in so that tests control it. `wait` rejects when the signal is aborted. */
export interface Time {
  now(): number
  wait(ms: number, signal?: AbortSignal): Promise<unknown>
}

export const realTime: Time = {
  now: () => Date.now(),
  wait: (ms, signal) => scheduler.wait(ms, signal && { signal }),
}

export class EngineWatch {
  readonly #fleet: Fleet
  readonly #watcher: Watcher
  readonly #patience: Patience
  readonly #time: Time
  readonly #asking = new Map<string, Promise<void>>()
  readonly #pauses = new Map<string, { times: number; until: number }>()
  readonly #stoppedAt = new Map<string, number>()

  constructor(fleet: Fleet, watcher: Watcher, patience: Patience, time: Time = realTime) {
    this.#fleet = fleet
    this.#watcher = watcher
    this.#patience = patience
    this.#time = time
  }

  /** Engines that are starting answer later. */
  async askAll(): Promise<void> {
    const names = this.#fleet.engines().flatMap(({ name, status }) => (status === 'starting' ? [] : name))
    await Promise.all(names.map((name) => this.ask(name)))
  }

  /** Once at a time, because an engine that is slow must not be asked more and more often. */
  ask(name: string): Promise<void> {
    const asking =
      this.#asking.get(name) ??
      this.#ask(name).finally(() => {
        this.#asking.delete(name)
      })
    this.#asking.set(name, asking)
    return asking
  }

  async start(name: string): Promise<void> {
    const decidedAt = this.#time.now()
    const result = await launch(this.#watcher.engine(name), decidedAt + this.#patience.launchMs, this.#time)
    if (result === 'running') {
      await this.ask(name)
      if (this.#hasAnswered(name)) this.#watcher.onStarted(this.#time.now() - decidedAt)
      return
    }
    this.#fleet.startFailed(name, result, this.#time.now())
    this.#watcher.onAnswer(name, null, [])
  }

  async stop(name: string): Promise<void> {
    this.#stoppedAt.set(name, this.#time.now())
    await this.#watcher.engine(name).shutDown()
  }

  /** The engine gets no steps for a while, longer each further time until it is heard. */
  async pause(name: string, backoff: Backoff): Promise<void> {
    const now = this.#time.now()
    const before = this.#pauses.get(name)
    // What fails together counts once.
    const isPaused = before !== undefined && before.until > now
    const times = isPaused ? before.times : (before?.times ?? 0) + 1
    this.#pauses.set(name, { times, until: Math.max(before?.until ?? 0, now + backoffMs(times, backoff)) })
    this.#fleet.pause(name)
    await this.#asking.get(name)
    await this.ask(name)
  }

  /** An outcome has arrived from the engine, so its reports arrive, and it has a place again: its pause is over. */
  heard(name: string): void {
    this.#pauses.delete(name)
    this.#fleet.heardFrom(name, this.#time.now())
  }

  get hasPauses(): boolean {
    return [...this.#pauses.values()].some(({ until }) => until > this.#time.now())
  }

  /** It may go on, with steps that are given back. */
  #stopSilent(name: string): void {
    const stopping = this.#watcher.engine(name).shutDown()
    stopping.catch((cause) => console.warn('a silent engine was not stopped', name, `${cause}`))
  }

  #hasAnswered(name: string): boolean {
    return this.#fleet.engines().some((engine) => engine.name === name && engine.status !== 'starting')
  }

  async #ask(name: string): Promise<void> {
    const askedAt = this.#time.now()
    const answer = await stateOf(this.#watcher.engine(name), this.#patience.silenceMs, this.#time)
    const now = this.#time.now()
    const stoppedAt = this.#stoppedAt.get(name)
    const isStopped = typeof answer === 'string' || (stoppedAt !== undefined && now - stoppedAt > STOP_MS)
    if (answer === null && stoppedAt === undefined && this.#fleet.isAliveSince(name, askedAt)) return
    if (answer === null || isStopped) {
      this.#stoppedAt.delete(name)
      this.#pauses.delete(name)
      const isLost = stoppedAt === undefined && this.#hasAnswered(name)
      if (isLost) console.warn('an engine is gone', name, answer ?? 'silent')
      const { isSilenceAnExit } = this.#patience
      if (isLost && !isStopped && !isSilenceAnExit) this.#stopSilent(name)
      // The steps on an engine that drained did not end it.
      const hasExited = answer !== 'drained' && (isStopped || isSilenceAnExit)
      return this.#watcher.onAnswer(name, null, this.#fleet.engineGone(name, now, { hasExited }))
    }
    const pause = this.#pauses.get(name)
    const isPaused = pause !== undefined && pause.until > now
    const status = isPaused && answer.status === 'ok' ? ('paused' as const) : answer.status
    // As it was when the answer arrived: otherwise a slow answer would say that the engine started later than it did.
    const uptimeMs = answer.uptimeMs + (now - askedAt)
    const lost = this.#fleet.engineState(name, { ...answer, status, uptimeMs }, now, askedAt)
    this.#watcher.onAnswer(name, answer, lost)
  }
}

/** A busy machine may need some seconds to answer. */
const STATE_TIMEOUT_MS = 2_000
const LAST_STATE_TIMEOUT_MS = 6_000
/** Before an engine whose silence is no exit is asked again. Calls can fail at once. */
const STATE_PAUSE_MS = 2_000
const LAUNCH_TIMEOUT_MS = 30_000
/** Before the next one, which may fail at once. */
const LAUNCH_PAUSE_MS = 1_000

/** null: the engine was silent for so long, and twice. */
const stateOf = async (engine: Engine, silenceMs: number, time: Time): Promise<StateAnswer> => {
  const until = time.now() + silenceMs
  for (let tries = 1; ; tries++) {
    const ms = tries === 1 ? STATE_TIMEOUT_MS : LAST_STATE_TIMEOUT_MS
    const answer = await within(ms, engine.state(ms), null, time)
    const isOver = time.now() >= until
    if (answer !== null || (tries > 1 && isOver)) return answer
    if (!isOver) await time.wait(STATE_PAUSE_MS)
  }
}

const launch = async (engine: Engine, until: number, time: Time): Promise<'running' | 'full' | 'failed'> => {
  for (;;) {
    const result = await within(LAUNCH_TIMEOUT_MS, engine.launch(), 'starting', time)
    if (result === 'running' || result === 'full') return result
    if (result === 'failed' || time.now() >= until) {
      await engine.destroy().catch((cause) => console.warn('an engine was not destroyed', `${cause}`))
      return 'failed'
    }
    await time.wait(LAUNCH_PAUSE_MS)
  }
}

/** The engine's object has the same limits, but may be unreachable itself. */
const within = async <Result>(ms: number, result: Promise<Result>, late: Result, time: Time): Promise<Result> => {
  const over = new AbortController()
  try {
    return await Promise.race([result, time.wait(ms + MARGIN_MS, over.signal).then(() => late)])
  } finally {
    over.abort()
  }
}

const MARGIN_MS = 250
