import { z } from '@hono/zod-openapi'
import { idPattern } from '../../../domain/ids.ts'
import { followAccount } from '../events/follow-account.ts'
import { apiKey } from '../guards.ts'
import { account, identity } from '../request-context.ts'
import { handleAnswer } from '../respond.ts'
import { createRouter, route } from '../router.ts'
import { eventStream, refusals } from '../schemas.ts'
import { serverSentEvents } from '../server-sent-events.ts'

const LastEventId = z
  .string()
  .regex(new RegExp(`^${idPattern('event')}$`), 'is not the id of an event')
  .optional()
  .openapi({
    description:
      'The id of the last event that you received. The stream begins with the one after it, or with the oldest of the last 24 hours. Absent: with events from now on.',
  })

export const eventRoutes = createRouter()

route(
  eventRoutes,
  {
    method: 'get',
    path: '/events',
    operationId: 'streamEvents',
    tags: ['Events'],
    summary: 'Stream the events of all jobs and batches as server-sent events',
    description: `Each event has the name of a webhook, such as \`import.completed\`, or is \`job.started\`; its data is the
body of the webhook, \`{type, timestamp, data}\`. The \`data\` of \`job.started\` is the job as it was when it started, with
\`type\`, \`url\` and \`createdAt\`. If the job or batch has a \`webhookUrl\`, the id is also the \`webhook-id\`. Reconnect with
the last id in \`Last-Event-ID\`, as \`EventSource\` does: no event is missing, none comes twice, and the order is the same.
The first message has an id and no event. A comment is sent every 15 seconds. The stream ends from time to time, and when
the key is revoked. An account may have 10 open streams. The progress of a job is at \`/jobs/{id}/events\`.`,
    guards: [apiKey('status')],
    request: { headers: z.object({ 'last-event-id': LastEventId }) },
    responses: { 200: eventStream, ...refusals(400) },
  },
  async (c) => {
    const id = crypto.randomUUID()
    const lastEventId = c.req.valid('header')['last-event-id'] ?? null
    return handleAnswer(c, await account(c).openEventStream(identity(c), id, lastEventId), ({ after }) =>
      serverSentEvents(c, (stream) => followAccount(c, stream, { id, after })),
    )
  },
)
