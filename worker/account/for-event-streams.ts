import { accepted } from '../../domain/codes/refusals.ts'
import { eventNumberOf } from '../../domain/events/event-ids.ts'
import type { AccountAnswer, EventPage, EventStreamStart, RequestIdentity } from './calls.ts'
import { concurrencyLimited } from './entry/admission.ts'
import { MAX_EVENT_STREAMS } from './events/open-streams.ts'
import { eventsAfter } from './events/read-events.ts'
import { ForBatchCallers } from './for-batch-callers.ts'

/** The account's methods for event streams. Opening one is a request that counts; what follows belongs to it. */
export abstract class ForEventStreams extends ForBatchCallers {
  /** `lastEventId`: the last event that the caller has. null: it wants those from now on. */
  openEventStream(
    identity: RequestIdentity,
    streamId: string,
    lastEventId: string | null,
  ): Promise<AccountAnswer<EventStreamStart>> {
    const { rows, streams, requests } = this.state
    return requests.read(identity, (now) => {
      if (streams.count(now) >= MAX_EVENT_STREAMS) {
        const message = `The limit of ${MAX_EVENT_STREAMS} open streams on ${identity.endpoint} is reached.`
        return concurrencyLimited(MAX_EVENT_STREAMS, message, identity.endpoint, now)
      }
      streams.renew(streamId, now)
      const { last } = rows.events
      // An id from the future would make the stream wait for it.
      return accepted({ after: lastEventId === null ? last : Math.min(eventNumberOf(lastEventId), last) })
    })
  }

  /** null: the key was revoked meanwhile. */
  eventsAfter(keyHash: string, streamId: string, after: number): Promise<EventPage | null> {
    const { rows, streams, clockwork } = this.state
    return Promise.resolve(
      clockwork.read((now) => {
        if (!rows.isLiveKey(keyHash)) return null
        streams.renew(streamId, now)
        return eventsAfter(rows, after, now)
      }),
    )
  }

  closeEventStream(streamId: string): void {
    this.state.streams.close(streamId)
  }
}
