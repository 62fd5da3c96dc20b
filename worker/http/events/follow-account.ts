import type { Context } from 'hono'
import { eventPositionId } from '../../../domain/events/event-ids.ts'
import { presentEvent } from '../../media/present-event.ts'
import { account, type HttpEnv } from '../request-context.ts'
import { HEARTBEAT_MS, type ServerSentEvents, waitUnlessGone } from '../server-sent-events.ts'

/**
 * The account is asked again and again, as in jobs/follow-job.ts: soon after an event, because others often follow it, and
 * less often when nothing runs. docs/cost.md has the count.
 */
const FIRST_INTERVAL_MS = 100
const LONGEST_BUSY_MS = 1_000
const LONGEST_QUIET_MS = 2_500
const SHARE_OF_QUIET = 0.3

export const intervalMs = (quietMs: number, isBusy: boolean): number =>
  Math.min(isBusy ? LONGEST_BUSY_MS : LONGEST_QUIET_MS, Math.max(FIRST_INTERVAL_MS, quietMs * SHARE_OF_QUIET))

/** An invocation may make 10,000 calls. Before that the stream ends, and the client resumes with another. */
const MAX_CALLS = 9_000
/** Two of R2 for a transcript. */
const CALLS_OF_EVENT = 2
const RETRY_MS = 1_000

export interface OpenedStream {
  id: string
  /** The number after which it begins. */
  after: number
}

/** Sends the events of the account until the client has gone or its key is revoked. */
export const followAccount = async (
  c: Context<HttpEnv>,
  stream: ServerSentEvents,
  { id, after }: OpenedStream,
): Promise<void> => {
  const { keyHash } = c.get('caller')
  const object = account(c)
  try {
    await stream.sendPosition(eventPositionId(after), RETRY_MS)
    let last = after
    let [eventAt, sentAt] = [Date.now(), Date.now()]
    for (let calls = 1; calls < MAX_CALLS && !stream.gone.aborted; calls++) {
      const page = await object.eventsAfter(keyHash, id, last)
      if (page === null) return
      for (const event of page.events) {
        if (stream.gone.aborted) return
        await stream.send({ event: event.type, id: event.id, data: await presentEvent(c.env, event) })
        calls += CALLS_OF_EVENT
      }
      const now = Date.now()
      if (page.last > last) eventAt = now
      if (page.events.length > 0) sentAt = now
      else if (now - sentAt >= HEARTBEAT_MS) {
        await stream.heartbeat()
        sentAt = now
      }
      if (page.last === last) await waitUnlessGone(intervalMs(now - eventAt, page.isBusy), stream.gone)
      last = page.last
    }
  } finally {
    c.executionCtx.waitUntil(object.closeEventStream(id))
  }
}
