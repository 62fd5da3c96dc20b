import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { eventPositionId } from '../../../domain/events/event-ids.ts'
import { idPattern, isId } from '../../../domain/ids.ts'
import { presentEvent } from '../../media/present.ts'
import { apiKey } from '../guards.ts'
import { account, type HttpEnv, identity } from '../request-context.ts'
import { handleAnswer } from '../respond.ts'
import { routerFor } from '../router.ts'
import { eventStream, refusals } from '../schemas.ts'
import { HEARTBEAT_MS, type ServerSentEvents, serverSentEvents } from '../server-sent-events.ts'
import { Wait } from '../wait-for-account.ts'

const EventId = z.string().refine((text) => isId('event', text), 'is not the id of an event')
const LastEventId = EventId.optional().openapi({
  pattern: `^${idPattern('event')}$`,
  description:
    'The id of the last event that you received. The stream begins with the one after it, or with the oldest of the last 24 hours. Absent: with events from now on.',
})

export const eventRoutes = routerFor('Events')

eventRoutes.add('GET /events', {
  operationId: 'streamEvents',
  summary: 'Stream the events of all jobs, batches and watches as server-sent events',
  description: `Each event has the name of a webhook, such as \`import.completed\`, or is \`job.started\`; its data is the
body of the webhook, \`{type, timestamp, data}\`. The \`data\` of \`job.started\` is the job as it was when it started, with
\`type\`, \`url\` and \`createdAt\`. If the job, batch or watch has a \`webhookUrl\`, the id is also the \`webhook-id\`. Reconnect with
the last id in \`Last-Event-ID\`, as \`EventSource\` does: no event is missing or comes twice.
The first message is \`ready\`, whose id says where the stream begins and whose \`data\` is \`{}\`. The stream ends from time to time, and when
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

const RETRY_MS = 1_000
/** An invocation may make 10,000 calls, and an event takes up to two. The client resumes with another stream. */
const MAX_EVENTS = 4_000

/** Sends events until the client disconnects or its key is revoked. The stream begins after the event with the number `after`. */
const followAccount = async (
  c: Context<HttpEnv>,
  stream: ServerSentEvents,
  { id, after }: { id: string; after: number },
): Promise<void> => {
  let last = after
  const wait = new Wait(c, () => ({ subject: 'events', seen: last, streamId: id }))
  try {
    await wait.open()
    await stream.sendReady(eventPositionId(after), RETRY_MS)
    let sentAt = Date.now()
    for (let sent = 0; sent < MAX_EVENTS && !stream.gone.aborted; ) {
      const latest = await wait.next(sentAt + HEARTBEAT_MS, stream.gone)
      if (latest === 'over') return
      if (latest === null) await stream.heartbeat()
      for (let isMore = latest !== null; isMore; ) {
        const page = await account(c).eventsAfter(c.var.caller.keyHash, last)
        if (page === null) return
        for (const event of page.events) {
          if (stream.gone.aborted) return
          await stream.send({
            event: event.type,
            id: event.id,
            data: await presentEvent(c.env, c.var.caller.accountId, event),
          })
        }
        sent += page.events.length
        isMore = page.last > last && page.last < Number(latest)
        last = page.last
      }
      sentAt = Date.now()
    }
  } finally {
    wait.close()
  }
}
