import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { TEST_EVENT } from '../../domain/webhooks/deliveries.ts'
import type { Api } from '../context.ts'
import { ImportStatus } from '../jobs/status.ts'
import { TranscriptionStatus } from '../jobs/transcription-status.ts'

/** What webhooks bring, for the document: the part of the API in which we are the caller. */
const events = {
  'import.completed': { summary: 'An import is completed', data: ImportStatus },
  'import.failed': { summary: 'An import has failed', data: ImportStatus },
  'transcription.completed': {
    summary: 'A transcription is completed',
    data: TranscriptionStatus,
  },
  'transcription.failed': {
    summary: 'A transcription has failed',
    data: TranscriptionStatus,
  },
  [TEST_EVENT]: { summary: 'Sent by POST /webhooks/test', data: z.object({ message: z.string() }) },
} as const

const headers = z.object({
  'webhook-id': z.string().openapi({ description: 'The same for every attempt: what to tell repetitions by.' }),
  'webhook-timestamp': z.string().openapi({ description: 'Unix seconds of the attempt.' }),
  'webhook-signature': z.string().openapi({ description: '`v1,` and a signature for each live secret, by spaces.' }),
})

const description = `Signed as Standard Webhooks 1.0 has it, with the secret of \`GET /webhooks/secret\`. Any 2xx within 15 seconds
is success, 410 ends the delivery, and anything else is tried again: ten attempts within three days, later when
\`Retry-After\` asks for it. Redirects are not followed. An event can come more than once and out of order.`

export const documentEvents = ({ openAPIRegistry }: OpenAPIHono<Api>): void => {
  for (const [type, { summary, data }] of Object.entries(events)) {
    const body = z.object({ type: z.literal(type), timestamp: z.string().openapi({ format: 'date-time' }), data })
    openAPIRegistry.registerWebhook({
      method: 'post',
      path: type,
      tags: ['Webhooks'],
      summary,
      description,
      request: { headers, body: { required: true, content: { 'application/json': { schema: body } } } },
      responses: { '2XX': { description: 'Received.' } },
    })
  }
}
