import type { OpenAPIHono } from '@hono/zod-openapi'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { refusal } from '../domain/codes/refusals.ts'
import { newId } from '../domain/ids.ts'
import type { RateClass } from '../domain/limits.ts'
import { api, refuseCounted } from './api.ts'
import { needsAdminToken, needsKey } from './auth.ts'
import { jsonBody } from './body.ts'
import type { Api, Parts } from './context.ts'
import { documentation } from './documentation/documentation.ts'
import { pages } from './documentation/pages.ts'
import { refuse, setStandardHeaders } from './respond.ts'
import { accounts } from './routes/accounts.ts'
import { health } from './routes/health.ts'
import { imports } from './routes/imports.ts'
import { jobs } from './routes/jobs.ts'
import { media } from './routes/media.ts'
import { metadata } from './routes/metadata.ts'
import { admin } from './routes/operators/admin.ts'
import { resealing } from './routes/operators/reseal.ts'
import { providerKeys } from './routes/provider-keys.ts'
import { storage } from './routes/storage.ts'
import { transcript } from './routes/transcript.ts'
import { transcriptions } from './routes/transcriptions.ts'
import { webhooks } from './routes/webhooks.ts'

const keyedPaths = [
  '/import',
  '/import/*',
  '/metadata',
  '/account',
  '/account/*',
  '/jobs',
  '/jobs/*',
  '/webhooks/*',
  '/storage',
  '/transcribe',
  '/transcribe/*',
  '/transcription-provider',
]
const pathsWithBody = [
  '/import',
  '/transcribe',
  '/transcription-provider',
  '/admin/accounts',
  '/admin/accounts/:id/credits',
  '/webhooks/test',
  '/webhooks/deliveries/replay',
]

/** The API as callers see it. `partsOf` brings what this stage needs of the others. */
export const createApp = (partsOf: (env: Env) => Parts): OpenAPIHono<Api> => {
  const app = api()

  app.use(async (c, next) => {
    c.set('requestId', newId('request', Date.now()))
    c.set('rateClass', rateClassOf(c.req.method, c.req.path))
    await next()
    c.res = new Response(c.res.body, c.res)
    setStandardHeaders(c)
  })
  app.use(async (c, next) => {
    c.set('parts', partsOf(c.env))
    await next()
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
  for (const path of keyedPaths) app.use(path, needsKey)
  app.use('/admin/*', needsAdminToken)
  for (const path of pathsWithBody) app.post(path, jsonBody)
  app.put('/storage', jsonBody)

  for (const part of [
    imports,
    transcriptions,
    transcript,
    providerKeys,
    metadata,
    jobs,
    accounts,
    webhooks,
    storage,
    admin,
    resealing,
    media,
    health,
  ])
    app.route('/', part)
  documentation(app)
  pages(app)

  app.notFound((c) => refuseCounted(c, refusal('NOT_FOUND')))
  app.onError((cause, c) => {
    console.error(c.var.requestId, c.req.method, c.req.path, cause)
    return refuse(c, refusal('INTERNAL_ERROR'))
  })
  return app
}

/** Starts, and reads of a job; the rest is general. */
const rateClassOf = (method: string, path: string): RateClass => {
  if (method === 'POST' && path === '/import') return 'import'
  if (method === 'POST' && path === '/transcribe') return 'transcribe'
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && /^\/(?:import\/status$|transcribe\/|jobs\/)/.test(path) ? 'status' : 'general'
}
