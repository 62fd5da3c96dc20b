import { z } from '@hono/zod-openapi'
import { failures } from '../../../domain/codes/failures.ts'
import { refusals } from '../../../domain/codes/refusals.ts'
import { TEST_EVENT } from '../../account/webhooks/webhook-delivery.ts'
import { BatchStatus } from '../jobs/batch-schemas.ts'
import { ImportStatus, TranscriptionStatus } from '../jobs/status.ts'
import { NewWatchItem, WatchStatus } from '../jobs/watch-schemas.ts'
import { type Router, tags } from '../router.ts'
import { Timestamp } from '../schemas.ts'

export const VERSION = '1.3.0'

/** The OpenAPI document is generated from the schemas that validate requests, so the two cannot differ. */
export const documentOf = (app: Router, url: string) => {
  const { info, ...about } = aboutHaul(url)
  // A variable, because the library types this as OpenAPI 3.0, which has no summary.
  const summarized = { ...info, summary: 'Import media from any URL, and transcribe it.' }
  return app.getOpenAPI31Document({ openapi: '3.1.0', info: summarized, ...about })
}

/** The same in OpenAPI 3.0, which has no webhooks, for generators of clients that cannot read 3.1. */
export const document30Of = (app: Router, url: string): object => {
  const document = app.getOpenAPIDocument({ openapi: '3.0.3', ...aboutHaul(url) })
  return JSON.parse(JSON.stringify(document, in30))
}

/** 3.0 has no `propertyNames`, and `nullable` only beside a type. */
const in30 = (name: string, value: unknown): unknown => {
  if (name === 'propertyNames') return undefined
  return Object.keys(Object(value)).join() === 'nullable' ? {} : value
}

const aboutHaul = (url: string) => ({
  info: {
    title: 'Haul',
    version: VERSION,
    description: codes(),
    contact: { name: 'Haul', url: `${url}/docs` },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
  servers: [{ url }],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
})

const codes = (): string => {
  const refused = Object.entries(refusals).map(([code, { status, message }]) => `- \`${code}\` (${status}): ${message}`)
  const failed = Object.entries(failures).map(([code, { message }]) => `- \`${code}\`: ${message}`)
  return ['Codes of refused requests:', ...refused, '', 'Codes of failed jobs (never charged):', ...failed].join('\n')
}

export const registerComponents = ({ openAPIRegistry }: Router): void => {
  openAPIRegistry.registerComponent('securitySchemes', 'apiKey', { type: 'http', scheme: 'bearer' })
  openAPIRegistry.registerComponent('securitySchemes', 'adminToken', { type: 'http', scheme: 'bearer' })
  for (const [type, operationId, summary, data] of events) {
    const body = z.object({ type: z.literal(type), timestamp: Timestamp, data })
    openAPIRegistry.registerWebhook({
      method: 'post',
      path: type,
      tags: ['Webhook events'],
      operationId,
      summary,
      description: webhookDescription,
      security: [],
      request: { headers: webhookHeaders, body: { required: true, content: { 'application/json': { schema: body } } } },
      responses: { '2XX': { description: 'The webhook was received.' } },
    })
  }
}

const events: [type: string, operationId: string, summary: string, data: z.ZodType][] = [
  ['import.completed', 'receiveImportCompleted', 'An import has completed', ImportStatus],
  ['import.failed', 'receiveImportFailed', 'An import has failed', ImportStatus],
  ['transcription.completed', 'receiveTranscriptionCompleted', 'A transcription has completed', TranscriptionStatus],
  ['transcription.failed', 'receiveTranscriptionFailed', 'A transcription has failed', TranscriptionStatus],
  ['batch.completed', 'receiveBatchCompleted', 'Every item of a batch has ended', BatchStatus],
  ['batch.failed', 'receiveBatchFailed', 'The playlist of a batch could not be read', BatchStatus],
  ['batch.canceled', 'receiveBatchCanceled', 'A batch was canceled', BatchStatus],
  ['watch.item', 'receiveWatchItem', 'A watch has found a new item', NewWatchItem],
  ['watch.failing', 'receiveWatchFailing', 'The list of a watch cannot be read', WatchStatus],
  ['watch.paused', 'receiveWatchPaused', 'A watch is paused', WatchStatus],
  ['watch.resumed', 'receiveWatchResumed', 'A watch goes on after a pause, or after failures', WatchStatus],
  [TEST_EVENT, 'receiveTest', 'A test sent by POST /webhooks/test', z.object({ message: z.string() })],
]

const webhookHeaders = z.object({
  'webhook-id': z
    .string()
    .describe('The same for all attempts, and the id of the event in `GET /events`. Use it to detect duplicates.'),
  'webhook-timestamp': z.string().describe('The time of the attempt in Unix seconds.'),
  'webhook-signature': z.string().describe('`v1,` and a signature for each valid secret, separated by spaces.'),
})

const webhookDescription = `Signed according to Standard Webhooks 1.0 with the secret from \`GET /webhooks/secret\`. Respond with a 2xx
status within 15 seconds. A 410 stops the delivery. After any other response the webhook is retried, up to ten attempts
within three days; a \`Retry-After\` header can delay the next attempt. Redirects are not followed. An event can arrive
more than once and out of order.`
