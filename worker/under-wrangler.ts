import { forEveryPage, forwarded, preflight } from '../domain/uploads/part-requests.ts'
import { configOf } from './env.ts'
import worker from './index.ts'

export * from './index.ts'

/** The Worker of `npm start`. It has R2's policy for pages that send the parts of uploads, which wrangler lacks. */
export default {
  ...worker,
  fetch: async (request, env, ctx) => {
    const { pathname, search } = new URL(request.url)
    const { UPLOADS_PATH, mediaS3 } = configOf(env)
    const isPart = pathname.startsWith(`${UPLOADS_PATH}/uploads/`) && ['PUT', 'OPTIONS'].includes(request.method)
    if (isPart) return sendPart(request, mediaS3.endpoint + pathname.slice(`${UPLOADS_PATH}`.length) + search)
    const file = isOneOf(env.CONSOLE_PATHS, pathname) ? await env.CONSOLE.fetch(request.clone()) : null
    return file && file.status !== 404 ? file : notCompressed(await worker.fetch(request, env, ctx))
  },
} satisfies ExportedHandler<Env & Console, never>

interface Console {
  CONSOLE: Fetcher
  /** Some end with `*`. */
  CONSOLE_PATHS: string[]
}

const isOneOf = (paths: string[], pathname: string): boolean =>
  paths.some((path) => (path.endsWith('*') ? pathname.startsWith(path.slice(0, -1)) : pathname === path))

/** Wrangler's own S3 API refuses pages of other sites. */
const sendPart = async ({ method, headers, body }: Request, url: string): Promise<Response> => {
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: preflight })
  const sent = forwarded.flatMap((name): [string, string][] => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  const response = await fetch(url, { method, headers: sent, body })
  const received = new Response(response.body, response)
  for (const [name, value] of Object.entries(forEveryPage)) received.headers.set(name, value)
  return received
}

/**
 * Wrangler compresses for clients that accept it, unless there is an encoding already. On one machine compression only takes
 * time, and it holds back the first bytes of a response, even of one with `no-transform`.
 */
const notCompressed = (response: Response): Response => {
  response.headers.set('content-encoding', 'identity')
  return response
}
