import { createRoute, z } from '@hono/zod-openapi'
import { api, route } from '../api.ts'
import { respond } from '../respond.ts'
import { ok } from '../schemas.ts'

const readHealth = createRoute({
  method: 'get',
  path: '/health',
  tags: ['Service'],
  summary: 'Whether the API answers',
  responses: { 200: ok(z.object({ status: z.literal('ok') })) },
})

export const health = api()

route(health, readHealth, (c) => respond(c, { status: 'ok' }))
