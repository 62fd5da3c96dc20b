import { HaulError } from './errors.ts'
import { type Call, pause } from './http/call.ts'
import type { Connection } from './http/connection.ts'
import { readEvents } from './http/read-events.ts'
import { backoffMs } from './http/retry.ts'
import type { Progress, ProgressOptions } from './options.ts'

/** The service sends the first event at once. If it does not arrive, a proxy is buffering the stream. */
const FIRST_EVENT_MS = 10_000
/** After these, polls follow. */
const MAX_BROKEN_STREAMS = 4

interface State {
  status: string
}

/** A job or a batch. */
interface Followed<Of extends State> {
  /** Its stream of events is below. */
  path: string
  /** May take as long as the service waits for the end. */
  poll: () => Promise<Of>
  /** From the start of one poll to that of the next, if the service responds at once. */
  shortestPollMs: number
}

/** Follows by the stream of events, or by polls, and resolves with the state after the end. */
export const follow = async <Of extends State>(
  connection: Connection,
  call: Call,
  followed: Followed<Of>,
  report: (state: Of) => void,
): Promise<Of> => (await followStream(connection, call, followed, report)) ?? pollUntilEnded(call, followed, report)

const followStream = async <Of extends State>(
  connection: Connection,
  { signal }: Call,
  { path }: Followed<Of>,
  report: (state: Of) => void,
): Promise<Of | null> => {
  for (let broken = 1; broken <= MAX_BROKEN_STREAMS; broken++) {
    let hasEvents = false
    try {
      const events = readEvents(connection, { path: `${path}/events` }, { signal, firstEventMs: FIRST_EVENT_MS })
      for await (const { data } of events) {
        if (data === undefined) continue
        const state: Of = JSON.parse(data)
        hasEvents = true
        report(state)
        if (hasEnded(state)) return state
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof HaulError)) throw error
      // Polls find out what is wrong: they are retried or refused.
      if (!hasEvents) return null
    }
    await pause(backoffMs(broken), signal)
  }
  return null
}

const pollUntilEnded = async <Of extends State>(
  { signal }: Call,
  { poll, shortestPollMs }: Followed<Of>,
  report: (state: Of) => void,
): Promise<Of> => {
  for (;;) {
    const since = Date.now()
    const state = await poll()
    report(state)
    if (hasEnded(state)) return state
    const remainingMs = shortestPollMs - (Date.now() - since)
    if (remainingMs > 0) await pause(remainingMs, signal)
  }
}

const hasEnded = ({ status }: State): boolean => status !== 'queued' && status !== 'running'

type KnownProgress = Pick<Progress, 'stage'> & Partial<Progress>

/** Calls `onProgress` when the progress has changed. What is not known is null. */
export const progressReporter = <Of>(
  onProgress: ProgressOptions['onProgress'],
  progressOf: (state: Of) => KnownProgress | null,
) => {
  let last = ''
  return (state: Of): void => {
    const known = progressOf(state)
    if (!onProgress || !known) return
    const { stage, percent = null, bytesPerSecond = null, etaSeconds = null } = known
    const progress = { stage, percent, bytesPerSecond, etaSeconds }
    if (JSON.stringify(progress) === last) return
    last = JSON.stringify(progress)
    onProgress(progress)
  }
}
