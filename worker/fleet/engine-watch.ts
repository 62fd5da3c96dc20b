import type { Fleet, LostPlace } from '../../domain/fleet/fleet.ts'
import type { EngineState } from '../../domain/protocol/protocol.ts'
import { type Backoff, backoffMs } from '../../domain/retry.ts'
import type { Engine } from '../engine/client.ts'

/** An engine that answers but refuses orders gets none for this long, and twice as long each further time. */
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

/** Asks engines for their states, starts and stops them, and passes what happens to the fleet. */
export class EngineWatch {
  readonly #fleet: Fleet
  readonly #watcher: Watcher
  readonly #asking = new Map<string, Promise<void>>()
  readonly #pauses = new Map<string, { times: number; until: number }>()
  readonly #stoppedAt = new Map<string, number>()

  constructor(fleet: Fleet, watcher: Watcher) {
    this.#fleet = fleet
    this.#watcher = watcher
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
    const decidedAt = Date.now()
    const result = await launch(this.#watcher.engine(name))
    if (result === 'running') {
      await this.ask(name)
      if (this.#hasAnswered(name)) this.#watcher.onStarted(Date.now() - decidedAt)
      return
    }
    this.#fleet.startFailed(name, result, Date.now())
    this.#watcher.onAnswer(name, null, [])
  }

  async stop(name: string): Promise<void> {
    this.#stoppedAt.set(name, Date.now())
    await this.#watcher.engine(name).shutDown()
  }

  /** The engine gets no steps for a while, longer each further time until it is heard. */
  async pause(name: string, backoff: Backoff): Promise<void> {
    const now = Date.now()
    const before = this.#pauses.get(name)
    // What fails together counts once.
    const isPaused = before !== undefined && before.until > now
    const times = isPaused ? before.times : (before?.times ?? 0) + 1
    this.#pauses.set(name, { times, until: Math.max(before?.until ?? 0, now + backoffMs(times, backoff)) })
    this.#fleet.pause(name)
    await this.#asking.get(name)
    await this.ask(name)
  }

  /** A report of one of its steps has arrived. */
  heard(name: string): void {
    this.#pauses.delete(name)
  }

  get hasPauses(): boolean {
    return [...this.#pauses.values()].some(({ until }) => until > Date.now())
  }

  #hasAnswered(name: string): boolean {
    return this.#fleet.engines().some((engine) => engine.name === name && engine.status !== 'starting')
  }

  async #ask(name: string): Promise<void> {
    const askedAt = Date.now()
    const answer = await stateOf(this.#watcher.engine(name))
    const now = Date.now()
    const stoppedAt = this.#stoppedAt.get(name)
    const state = stoppedAt !== undefined && now - stoppedAt > STOP_MS ? null : answer
    if (!state && stoppedAt === undefined && this.#fleet.isAliveSince(name, askedAt)) return
    if (!state) {
      this.#stoppedAt.delete(name)
      this.#pauses.delete(name)
      if (stoppedAt === undefined && this.#hasAnswered(name)) console.warn('an engine is gone', name)
      return this.#watcher.onAnswer(name, null, this.#fleet.engineGone(name, now))
    }
    const pause = this.#pauses.get(name)
    const isPaused = pause !== undefined && pause.until > now
    const { uptimeMs, running, places, diskBytes } = state
    const status = isPaused && state.status === 'ok' ? ('paused' as const) : state.status
    // As it was when the answer arrived: otherwise a slow answer would say that the engine started later than it did.
    const uptimeNowMs = uptimeMs === undefined ? undefined : uptimeMs + (now - askedAt)
    const seen = { status, uptimeMs: uptimeNowMs, running, places, diskBytes }
    const lost = this.#fleet.engineState(name, seen, now, askedAt)
    this.#watcher.onAnswer(name, state, lost)
  }
}

/**
 * Together with the pause between two rounds, an engine that does not answer counts as gone after ten seconds. A busy
 * machine may need some seconds to answer, and each step of an engine that counts as gone loses an attempt.
 */
const STATE_TIMEOUT_MS = 2_000
const LAST_STATE_TIMEOUT_MS = 6_000
/** An engine that has not come up by then is replaced. */
const LAUNCH_TIMEOUT_MS = 30_000

/** null: the engine is gone. It did not answer twice, which is known at once if its connections break. */
export const stateOf = async (engine: Engine): Promise<EngineState | null> =>
  (await within(STATE_TIMEOUT_MS, engine.state(STATE_TIMEOUT_MS), null)) ??
  (await within(LAST_STATE_TIMEOUT_MS, engine.state(LAST_STATE_TIMEOUT_MS), null))

export const launch = async (engine: Engine): Promise<'running' | 'full' | 'failed'> => {
  const result = await within(LAUNCH_TIMEOUT_MS, engine.launch(), 'failed')
  if (result === 'failed')
    await engine.shutDown().catch((cause) => console.warn('an engine was not stopped', `${cause}`))
  return result
}

/** The engine's object has the same limits, but may be unreachable itself. */
const within = async <Result>(ms: number, result: Promise<Result>, late: Result): Promise<Result> => {
  let timer: ReturnType<typeof setTimeout> | null = null
  const timeout = new Promise<Result>((resolve) => {
    timer = setTimeout(() => resolve(late), ms + MARGIN_MS)
  })
  try {
    return await Promise.race([result, timeout])
  } finally {
    clearTimeout(timer)
  }
}

const MARGIN_MS = 250
