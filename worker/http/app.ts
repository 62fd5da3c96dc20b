import { z } from '@hono/zod-openapi'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { refusal } from '../../domain/codes/refusals.ts'
import { newId } from '../../domain/ids.ts'
import { versionsIn } from '../../domain/sites.ts'
import { extractorsOfFleets } from '../fleet/known-extractors.ts'
import { documentationRoutes } from './documentation/pages.ts'
import { refusalOfFault } from './faults.ts'
import { identifyCaller } from './guards.ts'
import { mcpRoutes } from './mcp/endpoint.ts'
import { openaiRoutes } from './openai/routes.ts'
import { refuse, refuseCounted, respond, setStandardHeaders } from './respond.ts'
import { createRouter, routeOn } from './router.ts'
import { accountRoutes } from './routes/account.ts'
import { adminAccountRoutes } from './routes/admin-accounts.ts'
import { adminKeyAndCreditRoutes } from './routes/admin-keys-and-credits.ts'
import { adminResealRoutes } from './routes/admin-reseal.ts'
import { adminSpareEngineRoutes } from './routes/admin-spare-engines.ts'
import { adminWatchRoutes } from './routes/admin-watch.ts'
import { batchRoutes } from './routes/batches.ts'
import { eventRoutes } from './routes/events.ts'
import { importRoutes } from './routes/imports.ts'
import { jobRoutes } from './routes/jobs.ts'
import { keyRoutes } from './routes/keys.ts'
import { mediaRoutes } from './routes/media.ts'
import { metadataRoutes } from './routes/metadata.ts'
import { providerKeyRoutes } from './routes/provider-keys.ts'
import { storageRoutes } from './routes/storage.ts'
import { transcriptionRoutes } from './routes/transcriptions.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { ok } from './schemas.ts'
import { readRest } from './unread-body.ts'
import { whisperAsrRoutes } from './whisper-asr/routes.ts'

/** The public API. Tags of the documentation appear in this order. */
const routers = [
  importRoutes,
  transcriptionRoutes,
  openaiRoutes,
  whisperAsrRoutes,
  batchRoutes,
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
  adminKeyAndCreditRoutes,
  adminResealRoutes,
  adminSpareEngineRoutes,
  adminWatchRoutes,
  mediaRoutes,
]

const Health = z.object({
  status: z.literal('ok'),
  extractorVersions: z
    .array(z.string())
    .describe('The versions of yt-dlp that engines use, newest first. Empty while none is known.'),
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

  for (const router of [...routers, mcpRoutes(app)]) app.route('/', router)
  routeOn(app, 'Service')('GET /health', {
    operationId: 'getHealth',
    summary: 'Check that the API responds',
    description: 'For monitors. It reads nothing of accounts or jobs.',
    responses: { 200: ok(Health) },
    handle: async (c) => respond(c, { status: 'ok', extractorVersions: versionsIn(await extractorsOfFleets(c.env)) }),
  })
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
