import { z } from '@hono/zod-openapi'
import { create } from 'content-disposition'
import { refusal } from '../../../domain/codes/refusals.ts'
import { signingKey } from '../../env.ts'
import { openJobFile } from '../../media/job-files.ts'
import { checkFilesLink } from '../../media/links.ts'
import { serveLink } from '../../media/serve.ts'
import { countServed } from '../../metrics/metrics-of.ts'
import { accountCalls } from '../account-calls.ts'
import { refuse } from '../respond.ts'
import { routerFor } from '../router.ts'
import { refusals } from '../schemas.ts'

/** Accepts any value: a link that was changed is a 403 for its signature, and never a 400. */
const LinkParameter = z.unknown().optional().openapi({ type: 'string' })

const file = { '*/*': { schema: z.string().openapi({ format: 'binary' }) } }

export const mediaRoutes = routerFor('Media')

mediaRoutes.add('GET /media/{jobId}/{filename}', {
  operationId: 'getMedia',
  summary: 'Download or play a stored file',
  description:
    'Use the link from a completed job. Its signature grants access without an API key. Supports HEAD, range and conditional requests.',
  request: {
    query: z.object({ expires: LinkParameter, signature: LinkParameter }),
  },
  responses: {
    200: { description: 'The file.', content: file },
    206: { description: 'A range of the file.', content: file },
    304: { description: 'Not modified.' },
    ...refusals(403, 410, 416),
  },
  handle: async (c) => {
    const { jobId, filename } = c.req.param()
    const served = await serveLink(c.env, c.req.raw, jobId, filename)
    if (served === 'invalid') return refuse(c, refusal('SIGNATURE_INVALID'))
    if (served === 'expired') return refuse(c, refusal('MEDIA_EXPIRED'))
    if (served instanceof Response) {
      // A response to HEAD, or a 304, has no body.
      const sizeBytes = served.body ? Number(served.headers.get('content-length')) : 0
      if (sizeBytes > 0) countServed(c.env, c.executionCtx, sizeBytes)
      return served
    }
    c.header('Content-Range', `bytes */${served.sizeBytes}`)
    return refuse(c, refusal('RANGE_NOT_SATISFIABLE'))
  },
})

mediaRoutes.add('GET /files/{jobId}/{filename}', {
  operationId: 'getFile',
  summary: 'Download captions, a transcript, or another file of a job',
  description: 'Use the link from a completed job. Its signature grants access without an API key.',
  request: {
    query: z.object({ account: LinkParameter, expires: LinkParameter, signature: LinkParameter }),
  },
  responses: {
    200: { description: 'The file.', content: file },
    ...refusals(403, 410),
  },
  handle: async (c) => {
    const { jobId, filename } = c.req.param()
    const { account: accountId = '', expires = '', signature = '' } = c.req.query()
    const key = await signingKey(c.env, 'media-links')
    if (!(await checkFilesLink(key, { accountId, jobId, expires, signature }))) {
      return refuse(c, refusal('SIGNATURE_INVALID'))
    }
    const job = Number(expires) * 1_000 > Date.now() ? await accountCalls(c.env, accountId).readLinked(jobId) : null
    const opened = job && (await openJobFile(c.env, job, filename))
    if (!opened) return refuse(c, refusal('MEDIA_EXPIRED', {}, 'The file is not stored any more.'))
    return c.body(opened.body as ReadableStream, 200, {
      'Content-Type': opened.contentType,
      'Content-Disposition': create(filename, { type: 'inline' }),
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': "sandbox; default-src 'none'",
      // The link itself authorizes the request, so pages of any origin may use the file as a track of their player.
      'Access-Control-Allow-Origin': '*',
    })
  },
})
