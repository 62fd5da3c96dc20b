import type { OpenAPIHono } from '@hono/zod-openapi'
import { failures } from '../../domain/codes/failures.ts'
import { refusals } from '../../domain/codes/refusals.ts'
import type { Api } from '../context.ts'
import { documentEvents } from './events.ts'

const VERSION = '1.0.0'

/** Made from the schemas that validate, so that it cannot say anything else. */
export const documentation = (app: OpenAPIHono<Api>): void => {
  const registry = app.openAPIRegistry
  registry.registerComponent('securitySchemes', 'apiKey', { type: 'http', scheme: 'bearer' })
  registry.registerComponent('securitySchemes', 'adminToken', { type: 'http', scheme: 'bearer' })
  documentEvents(app)
  app.get('/openapi.json', (c) => c.json(documentOf(app, new URL(c.req.url).origin)))
  app.get('/llms.txt', (c) => c.text(forLanguageModels(new URL(c.req.url).origin)))
}

export const documentOf = (app: OpenAPIHono<Api>, url: string) => {
  // On its own, because the library has the type of version 3.0 here, which knows no summary.
  const info = {
    title: 'Haul',
    version: VERSION,
    summary: 'Hauls media from any URL, and the words out of it.',
    description: codes(),
  }
  return app.getOpenAPI31Document({ openapi: '3.1.0', info, servers: [{ url }] })
}

const codes = (): string => {
  const refused = Object.entries(refusals).map(([code, { status, message }]) => `- \`${code}\` (${status}): ${message}`)
  const failed = Object.entries(failures).map(([code, { message }]) => `- \`${code}\`: ${message}`)
  return ['Codes of refused requests:', ...refused, '', 'Codes of failed jobs (never charged):', ...failed].join('\n')
}

const forLanguageModels = (origin: string): string => `# Haul

> An HTTP API that imports media from a URL, and transcribes it. Send Authorization: Bearer <API_KEY> with every request.

- POST ${origin}/import {"url": "https://…"} answers 202 with data.jobId.
- GET ${origin}/import/status?id=<jobId>&wait=30 answers with the job; data.result.mediaUrl is the file.
- POST ${origin}/transcribe {"url": "https://…"} takes the captions that exist; with "provider": "builtin" it listens.
- GET ${origin}/transcribe/status?id=<jobId>&wait=30 answers with data.result.text and segments with times;
  GET ${origin}/transcribe/transcript?id=<jobId>&format=txt|srt|vtt|json is the transcript as a file.
- PUT ${origin}/storage sets an S3 bucket of your own; with "store": true an import ends there, as data.result.s3Storage.
- GET ${origin}/metadata?url=… tells sizes, formats and prices before an import.
- GET ${origin}/account tells the balance.
- With webhookUrl in a start request the end of the job is POSTed there, signed as Standard Webhooks 1.0 has it;
  GET ${origin}/webhooks/secret answers with the secret.
- A refused request has success false, a sentence in error and a constant in code.

For people: ${origin}/docs
The full description: ${origin}/openapi.json
`
