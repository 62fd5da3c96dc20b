import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Runtime } from '../worker/runtime.ts'
import { forward, refuse } from './forward.ts'
import { forwardPart, isUploadPart, S3_PATH } from './upload-parts.ts'

/**
 * The two servers. Node parses what comes in, so only plain requests reach workerd: `CONNECT` and upgrades do not.
 *
 * The public one leads to the Worker, and the parts of uploads to the S3 API of the media bucket: see upload-parts.ts.
 * It has no other rule for /cdn-cgi/, and needs none: behind it, no spelling of a path leads to anything else. The one
 * for engines has all of the S3 API.
 */
type Upstreams = Pick<Runtime, 'workerUrl' | 'toolsUrl'>

/** Another server in front, such as Caddy, reuses connections for longer than Node's default of five seconds. */
const KEEP_ALIVE_MS = 75_000

/** A part of an upload has up to 64 MiB. */
const PART_TIMEOUT_MS = 3_600_000

/** `s3Host`: the host that presigned URLs are signed for. */
export const publicServer = ({ workerUrl, toolsUrl }: Upstreams, s3Host: string): Server =>
  createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: PART_TIMEOUT_MS }, (request, response) => {
    const target = hasOneHost(request) ? targetOf(request, workerUrl) : null
    if (!target) refuse(response, 400)
    else if (isUploadPart(request, target)) forwardPart(request, response, new URL(pathOf(target), toolsUrl), s3Host)
    else forward(request, response, target)
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

/** RFC 9112, section 3.2: a server answers any other request with 400. Node passes them on. */
const hasOneHost = ({ rawHeaders, headers: { host = '' } }: IncomingMessage): boolean => {
  const names = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  return names.length === 1 && AUTHORITY.test(host) && URL.canParse(`http://${host}`)
}
/** A name or an address, and perhaps a port. */
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** null: the request's target is no path. RFC 9112, section 3.2.2: a server takes whole URLs too. */
const targetOf = ({ url = '' }: IncomingMessage, workerUrl: URL): URL | null => {
  const path = url.startsWith('/') ? url : URL.canParse(url) ? pathOf(new URL(url)) : null
  // Not `new URL(path, workerUrl)`, for which //example.com is another host.
  return path !== null && URL.canParse(workerUrl.origin + path) ? new URL(workerUrl.origin + path) : null
}

const pathOf = ({ pathname, search }: URL): string => pathname + search

/** Responses that have begun may end, except for those without an end. */
const GRACE_MS = 3_000

/** `variable`: the setting that the port is from, for the error that it is in use. */
export const listen = async (server: Server, host: string, port: number, variable: string) => {
  server.listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const isInUse = error.code === 'EADDRINUSE'
    throw isInUse ? new Error(`Port ${port} is in use: choose another one with ${variable}=…`) : error
  })
  return {
    stop: async () => {
      const late = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await once(server.close(), 'close')
      clearTimeout(late)
    },
  }
}
