import { createServer, type IncomingMessage, type Server } from 'node:http'
import { forward, refuse } from './forward.ts'
import type { Runtime } from './runtime.ts'

/**
 * The two servers. Node parses what comes in, so only plain requests reach workerd: `CONNECT` and upgrades do not.
 *
 * The public one leads to the Worker only. It has no rule for /cdn-cgi/, and needs none: behind it, no spelling of a
 * path leads to anything else. The one for engines also has the S3 API of the media bucket.
 */
type Upstreams = Pick<Runtime, 'workerUrl' | 'toolsUrl'>

/** Another server in front, such as Caddy, reuses connections for longer than Node's default of five seconds. */
const KEEP_ALIVE_MS = 75_000

export const publicServer = ({ workerUrl }: Upstreams): Server =>
  createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const target = targetOf(request, workerUrl)
    if (target) forward(request, response, target)
    else refuse(response, 400)
  })

export const engineServer = ({ workerUrl, toolsUrl }: Upstreams): Server => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const target = targetOf(request, workerUrl)
    if (target?.pathname.startsWith('/internal/')) forward(request, response, target)
    else if (target?.pathname.startsWith(`${S3_PATH}/`)) forward(request, response, new URL(pathOf(target), toolsUrl))
    else refuse(response, 404)
  })
  // A part of a large file may take long to come in. Only engines can send to this server.
  server.requestTimeout = 0
  return server
}

/** Of the media bucket, in miniflare's S3 API. */
export const S3_PATH = '/cdn-cgi/local/r2/s3/haul-media'

/** null: the request's target is no path. RFC 9112, section 3.2.2: a server takes whole URLs too. */
const targetOf = ({ url = '' }: IncomingMessage, workerUrl: URL): URL | null => {
  const path = url.startsWith('/') ? url : URL.canParse(url) ? pathOf(new URL(url)) : null
  // Not `new URL(path, workerUrl)`, for which //example.com is another host.
  return path !== null && URL.canParse(workerUrl.origin + path) ? new URL(workerUrl.origin + path) : null
}

const pathOf = ({ pathname, search }: URL): string => pathname + search
