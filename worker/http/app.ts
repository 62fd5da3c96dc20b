import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { refusal } from '../../domain/codes/refusals.ts'
import { newId } from '../../domain/ids.ts'
import { versionsIn } from '../../domain/sites.ts'
import { extractorsOfFleets } from '../fleet/known-extractors.ts'
import { refusalOfFault } from './account-calls.ts'
import { documentationRoutes } from './documentation/pages.ts'
import { identifyCaller } from './guards.ts'
import { mcpRoutes } from './mcp/endpoint.ts'
import { openaiRoutes } from './openai/routes.ts'
import type { HttpEnv } from './request-context.ts'
import { refuse, refuseCounted, respond, setStandardHeaders } from './respond.ts'
import { createRouter, routerFor } from './router.ts'
import { accountRoutes } from './routes/account.ts'
import { adminAccountRoutes } from './routes/admin-accounts.ts'
import { adminOperationRoutes } from './routes/admin-operations.ts'
import { batchRoutes } from './routes/batches.ts'
import { providerKeyRoutes, storageRoutes } from './routes/credentials.ts'
import { eventRoutes } from './routes/events.ts'
import { importRoutes } from './routes/imports.ts'
import { jobRoutes } from './routes/jobs.ts'
import { keyRoutes } from './routes/keys.ts'
import { mediaRoutes } from './routes/media.ts'
import { metadataRoutes } from './routes/metadata.ts'
import { modelRoutes } from './routes/models.ts'
import { searchRoutes } from './routes/search.ts'
import { transcriptionRoutes } from './routes/transcriptions.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { watchRoutes } from './routes/watches.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { ok } from './schemas.ts'
import { whisperAsrRoutes } from './whisper-asr/routes.ts'

/** The public API. Tags of the documentation appear in this order. */
const routers = [
  importRoutes,
  transcriptionRoutes,
  modelRoutes,
  openaiRoutes,
  whisperAsrRoutes,
  batchRoutes,
  searchRoutes,
  watchRoutes,
  uploadRoutes,
  providerKeyRoutes,
  metadataRoutes,
  jobRoutes,
  eventRoutes,
  accountRoutes,
  keyRoutes,
  webhookRoutes,
  storageRoutes,
  adminAccountRoutes,
  adminOperationRoutes,
  mediaRoutes,
]

const Health = z.object({
  status: z.literal('ok'),
  extractorVersions: z
    .array(z.string())
    .describe('The versions of yt-dlp that engines use, newest first. Empty while none is known.'),
})

const serviceRoutes = routerFor('Service')

serviceRoutes.add('GET /health', {
  operationId: 'getHealth',
  summary: 'Check that the API responds',
  description: 'For monitors. It reads nothing of accounts or jobs.',
  responses: { 200: ok(Health) },
  handle: async (c) => respond(c, { status: 'ok', extractorVersions: versionsIn(await extractorsOfFleets(c.env)) }),
})

export const createApp = () => {
  const app = createRouter()

  app.use(async (c, next) => {
    c.set('requestId', newId('request', Date.now()))
    c.set('rateClass', 'general')
    c.set('needs', [])
    c.set('fromPages', false)
    await next()
    await readRest(c)
    setStandardHeaders(c)
  })
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) => {
        c.header('Allow', methods.join(', '))
        return refuse(c, refusal('METHOD_NOT_ALLOWED'))
      },
    }),
  )

  for (const router of [...routers, mcpRoutes(app), serviceRoutes]) app.route('/', router)
  documentationRoutes(app)

  app.notFound(async (c) => {
    // Requests with a key count against its rate limit, even if the path is unknown.
    await identifyCaller(c)
    return refuseCounted(c, refusal('NOT_FOUND'))
  })
  app.onError((cause, c) => {
    console.error(c.var.requestId, c.req.method, c.req.path, cause)
    return refuse(c, refusalOfFault(cause))
  })
  return app
}

/** Cloudflare's limit for the body of a request. */
const MOST_UNREAD_BYTES = 100_000_000
/** A client that sends nothing for so long may be waiting for the response. */
const SILENCE_MS = 1_000

/** Reads the rest of a refused request: a proxy may lose a response that comes while the body still arrives. */
const readRest = async (c: Context<HttpEnv>): Promise<void> => {
  const { body } = c.req.raw
  if (c.res.status < 400 || !body || body.locked) return
  const reader = body.getReader()
  try {
    for (let left = MOST_UNREAD_BYTES; left > 0; ) {
      const chunk = await readSoon(reader)
      if (!chunk) return
      left -= chunk.byteLength
    }
  } catch {
    // The client has gone.
  }
}

/** null: the body has ended, or nothing arrives. */
const readSoon = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> => {
  const read = new AbortController()
  const silence = scheduler.wait(SILENCE_MS, { signal: read.signal }).catch(() => {})
  const arrived = await Promise.race([reader.read(), silence])
  read.abort()
  return arrived?.value ?? null
}
