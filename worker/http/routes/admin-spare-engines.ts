import { z } from '@hono/zod-openapi'
import { refusal } from '../../../domain/codes/refusals.ts'
import { spareEngineName } from '../../../domain/fleet/fleet-index.ts'
import { Health } from '../../../domain/protocol/protocol.ts'
import { type Engine, engineOf } from '../../engine/client.ts'
import { configOf } from '../../env.ts'
import { adminToken } from '../guards.ts'
import { refuse, respond } from '../respond.ts'
import { routerFor } from '../router.ts'
import { always, ok, refusals } from '../schemas.ts'

export const adminSpareEngineRoutes = routerFor('Operators')

const LAUNCH_TIMEOUT_MS = 10_000
/** The extractor's first start takes seconds. */
const HEALTH_TIMEOUT_MS = 5_000

/** From 0 to 19: as many as a deployment starts at once to try the platform. */
const NumberParam = z.object({ number: z.string().regex(/^1?\d$/, 'must be a number from 0 to 19') })

const SpareEngine = z.object({
  state: z
    .enum(['running', 'starting', 'full', 'failed'])
    .describe('`starting`: ask again. `full`: the platform starts no further container now. `failed`: it ended.'),
  health: Health.extend({ parts: z.record(z.string(), z.union([always(true), z.string()])) })
    .nullable()
    .describe('What the container says of itself once it runs.'),
})

adminSpareEngineRoutes.add('POST /admin/spare-engines/{number}', {
  operationId: 'adminStartSpareEngine',
  summary: 'Start a container that gets no steps, and read its health',
  description:
    'For trying a deployment. A container that is starting is not started twice, so repeat the request until it runs. One that is forgotten ends by itself after 15 minutes.',
  guards: [adminToken],
  request: { params: NumberParam },
  responses: { 200: ok(SpareEngine), ...refusals(400, 404) },
  handle: async (c) => {
    const engine = spareEngine(c.env, c.req.valid('param').number)
    if (!engine) return refuse(c, elsewhere)
    const state = await engine.launch(LAUNCH_TIMEOUT_MS)
    const health = state === 'running' ? await engine.health(HEALTH_TIMEOUT_MS) : null
    return respond(c, { state: state === 'running' && !health ? 'starting' : state, health })
  },
})

adminSpareEngineRoutes.add('DELETE /admin/spare-engines/{number}', {
  operationId: 'adminStopSpareEngine',
  summary: 'Stop a container that gets no steps',
  description: 'A container that does not run is stopped already.',
  guards: [adminToken],
  request: { params: NumberParam },
  responses: { 200: ok(z.object({ stopped: always(true) })), ...refusals(400, 404) },
  handle: async (c) => {
    const engine = spareEngine(c.env, c.req.valid('param').number)
    if (!engine) return refuse(c, elsewhere)
    await engine.shutDown()
    return respond(c, { stopped: true })
  },
})

const elsewhere = refusal('NOT_FOUND', {}, 'The engines of this deployment run elsewhere (ENGINE_URLS).')

/** In the region of new accounts. null: someone else starts the engines. */
const spareEngine = (env: Env, number: string): Engine | null => {
  const { engineUrls, regions } = configOf(env)
  return engineUrls.length > 0 ? null : engineOf(env.ENGINES, spareEngineName(Number(number), regions[0]))
}
