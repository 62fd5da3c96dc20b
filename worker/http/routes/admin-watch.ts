import { z } from '@hono/zod-openapi'
import { familiesOf } from '../../../domain/metrics/families.ts'
import { OPEN_METRICS_TYPE, openMetrics } from '../../../domain/metrics/open-metrics.ts'
import { allFleets } from '../../fleet/fleet-of.ts'
import { sumsOf } from '../../metrics/metrics-of.ts'
import { adminToken } from '../guards.ts'
import { createRouter, route } from '../router.ts'

const tags = ['Operators']

export const adminWatchRoutes = createRouter()

route(
  adminWatchRoutes,
  {
    method: 'get',
    path: '/admin/metrics',
    tags,
    summary: 'Read the metrics, as OpenMetrics text',
    description:
      'For Prometheus and compatible collectors. A request writes nothing, so it can be made every 15 seconds.',
    guards: [adminToken],
    responses: { 200: { description: 'The metrics.', content: { [OPEN_METRICS_TYPE]: { schema: z.string() } } } },
  },
  async (c) => {
    // All of them or none: a counter without one part would seem to start again from zero.
    const [sums, fleets] = await Promise.all([
      sumsOf(c.env),
      Promise.all(allFleets(c.env).map((fleet) => fleet.metrics())),
    ])
    return c.body(openMetrics(familiesOf(sums, fleets)), 200, { 'Content-Type': OPEN_METRICS_TYPE })
  },
)
