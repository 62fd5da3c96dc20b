import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { eventPositionId } from '../../../domain/events/event-ids.ts'
import { idPattern, isId } from '../../../domain/ids.ts'
import { presentEvent } from '../../media/present.ts'
import { apiKey } from '../guards.ts'
import { waitUnlessAborted } from '../jobs/follow-job.ts'
import { account, type HttpEnv, identity } from '../request-context.ts'
import { handleAnswer } from '../respond.ts'
import { routerFor } from '../router.ts'
import { eventStream, refusals } from '../schemas.ts'
import { HEARTBEAT_MS, type ServerSentEvents, serverSentEvents } from '../server-sent-events.ts'

const EventId = z.string().refine((text) => isId('event', text), 'is not the id of an event')
const LastEventId = EventId.optional().openapi({
  pattern: `^${idPattern('event')}$`,
  description:
    'The id of the last event that you received. The stream begins with the one after it, or with the oldest of the last 24 hours. Absent: with events from now on.',
})

export const eventRoutes = routerFor('Events')

eventRoutes.add('GET /events', {
  operationId: 'streamEvents',
  summary: 'Stream the events of all jobs and batches as server-sent events',
  description: `Each event has the name of a webhook, such as \`import.completed\`, or is \`job.started\`; its data is the
body of the webhook, \`{type, timestamp, data}\`. The \`data\` of \`job.started\` is the job as it was when it started, with
\`type\`, \`url\` and \`createdAt\`. If the job or batch has a \`webhookUrl\`, the id is also the \`webhook-id\`. Reconnect with
the last id in \`Last-Event-ID\`, as \`EventSource\` does: no event is missing, none comes twice, and the order is the same.
The first message is \`ready\`, whose id says where the stream begins and whose \`data\` is \`{}\`. A comment is sent every 15 seconds. The stream ends from time to time, and when
the key is revoked. An account may have 10 open streams. The progress of a job is at \`/jobs/{id}/events\`.`,
  guards: [apiKey('status', 'read')],
  request: { headers: z.object({ 'last-event-id': LastEventId }) },
  responses: { 200: eventStream, ...refusals(400) },
  handle: (c) => {
    const id = crypto.randomUUID()
    const lastEventId = c.req.valid('header')['last-event-id'] ?? null
    return handleAnswer(c, account(c).openEventStream(identity(c), id, lastEventId), ({ after }) =>
      serverSentEvents(c, (stream) => followAccount(c, stream, { id, after })),
    )
  },
})

/** Polls as ../jobs/follow-job.ts does: soon after an event, which others often follow, and less often when nothing runs. */
const FIRST_INTERVAL_MS = 100
const LONGEST_BUSY_MS = 1_000
const LONGEST_QUIET_MS = 2_500
const SHARE_OF_QUIET = 0.3

const intervalMs = (quietMs: number, isBusy: boolean): number =>
  Math.min(isBusy ? LONGEST_BUSY_MS : LONGEST_QUIET_MS, Math.max(FIRST_INTERVAL_MS, quietMs * SHARE_OF_QUIET))

/** An invocation may make 10,000 calls. Before that the stream ends, and the client resumes with another. */
const MAX_CALLS = 9_000
const RETRY_MS = 1_000

/** Sends events until the client disconnects or its key is revoked. The stream begins after the event with the number `after`. */
const followAccount = async (
  c: Context<HttpEnv>,
  stream: ServerSentEvents,
  { id, after }: { id: string; after: number },
): Promise<void> => {
  const { keyHash } = c.var.caller
  const object = account(c)
  try {
    await stream.sendReady(eventPositionId(after), RETRY_MS)
    let last = after
    let [eventAt, sentAt] = [Date.now(), Date.now()]
    for (let calls = 1; calls < MAX_CALLS && !stream.gone.aborted; calls++) {
      const page = await object.eventsAfter(keyHash, id, last)
      if (page === null) return
      for (const event of page.events) {
        if (stream.gone.aborted) return
        await stream.send({ event: event.type, id: event.id, data: await presentEvent(c.env, event) })
        // An event with a transcript takes a call to R2.
        calls++
      }
      const now = Date.now()
      if (page.last > last) eventAt = now
      if (page.events.length > 0) sentAt = now
      else if (now - sentAt >= HEARTBEAT_MS) {
        await stream.heartbeat()
        sentAt = now
      }
      if (page.last === last) await waitUnlessAborted(intervalMs(now - eventAt, page.isBusy), stream.gone)
      last = page.last
    }
  } finally {
    c.executionCtx.waitUntil(object.closeEventStream(id))
  }
}
