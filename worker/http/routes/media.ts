import { createRoute, z } from '@hono/zod-openapi'
import { refusal } from '../../domain/codes/refusals.ts'
import { api, route } from '../api.ts'
import { refuse } from '../respond.ts'
import { Id, refusals } from '../schemas.ts'

/** Of any form: a link that was changed is refused for its signature, whatever was done to it. */
const OfLink = z.unknown().optional().openapi({ type: 'string' })

const download = createRoute({
  method: 'get',
  path: '/media/{jobId}/{filename}',
  tags: ['Media'],
  summary: 'Download or play a stored file',
  description: 'The link of a finished job is its own permission. HEAD, ranges and conditional requests are answered.',
  request: {
    params: z.object({ jobId: Id, filename: z.string() }),
    query: z.object({ expires: OfLink, signature: OfLink }),
  },
  responses: {
    200: { description: 'The file.', content: { '*/*': { schema: z.string().openapi({ format: 'binary' }) } } },
    206: { description: 'A part of it.', content: { '*/*': { schema: z.string().openapi({ format: 'binary' }) } } },
    304: { description: 'Not modified.' },
    ...refusals(403, 410, 416),
  },
})

export const media = api()

route(media, download, async (c) => {
  const { jobId, filename } = c.req.valid('param')
  const served = await c.var.parts.serveMedia(c.req.raw, jobId, filename)
  if (served === 'invalid') return refuse(c, refusal('SIGNATURE_INVALID'))
  if (served === 'expired') return refuse(c, refusal('MEDIA_EXPIRED'))
  if (served instanceof Response) return served
  c.header('Content-Range', `bytes */${served.sizeBytes}`)
  return refuse(c, refusal('RANGE_NOT_SATISFIABLE'))
})
