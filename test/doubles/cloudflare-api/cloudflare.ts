import { createServer, type IncomingMessage } from 'node:http'
import type { DatabaseSync } from 'node:sqlite'
import { listenOnLoopback } from '../../support/loopback.ts'
import { createAccount, type FakeAccount } from './account.ts'
import { containerRoutes } from './containers.ts'
import { addDatabase, databaseRoutes } from './databases.ts'
import { resourceRoutes } from './resources.ts'
import { type Call, ok, type Reply, type Routes } from './routes.ts'
import { workerRoutes } from './workers.ts'

/**
 * The part of Cloudflare's API that wrangler 4.164 and scripts/deploy call to deploy (CLOUDFLARE_API_BASE_URL): Workers,
 * queues, R2, D1 with a real SQLite database, containers and their registry. Anything else is refused, and listed in
 * `unknown`.
 */
export interface FakeCloudflare {
  /** For the environment of the script. */
  env: Record<string, string>
  account: FakeAccount
  /** Every request that is not a GET, in order. */
  writes: Call[]
  unknown: string[]
  /** A database that exists before. */
  addDatabase(name: string): DatabaseSync
  close(): Promise<void>
}

export const TOKEN = 'cloudflare-token'

export const startCloudflare = async (): Promise<FakeCloudflare> => {
  const account = createAccount()
  const writes: Call[] = []
  const unknown: string[] = []
  const routes: Routes = {
    'GET /accounts': () => ok([{ id: account.id, name: 'Example' }, ...account.others]),
    'GET /billable-usage': () => (account.bill ? ok(account.bill) : undefined),
    'GET /billing/usage/paygo': () => undefined,
    ...resourceRoutes(account),
    ...databaseRoutes(account),
    ...containerRoutes(account),
    ...workerRoutes(account),
  }

  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const call = await readCall(request)
    if (request.headers.authorization !== `Bearer ${TOKEN}` && !call.path.startsWith('/workers/assets/upload')) {
      return { status: 403, code: 10000, message: 'Authentication error' }
    }
    const [route, match] = find(routes, call)
    if (call.method !== 'GET') writes.push(call)
    if (route) return (await route(call, match)) ?? { status: 404, code: 10007, message: `${call.path} does not exist` }
    unknown.push(`${call.method} ${call.path}`)
    return { status: 501, code: 1, message: `${call.method} ${call.path} is not part of this double` }
  }

  const server = createServer(async (request, response) => {
    const reply = await answer(request).catch((cause): Reply => ({ status: 500, code: 2, message: String(cause) }))
    const failed = 'message' in reply
    const body = {
      success: !failed,
      errors: failed ? [{ code: reply.code, message: reply.message }] : [],
      messages: [],
      result: failed ? null : reply.result,
      ...(failed ? {} : reply.more),
    }
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const { url, close } = await listenOnLoopback(server)
  return {
    env: { CLOUDFLARE_API_BASE_URL: url, CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_ACCOUNT_ID: account.id },
    account,
    writes,
    unknown,
    addDatabase: (name) => addDatabase(account, name).sqlite,
    close,
  }
}

const readCall = async (request: IncomingMessage): Promise<Call> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://cloudflare')
  const bytes = Buffer.concat(await request.toArray())
  const type = request.headers['content-type'] ?? ''
  const text = bytes.toString()
  return {
    method: request.method ?? '',
    path: pathname.replace(/^\/accounts\/[^/]+/, ''),
    query: searchParams,
    text,
    json: /^[[{]/.test(text) ? JSON.parse(text) : null,
    form: type.startsWith('multipart/')
      ? await new Response(bytes, { headers: { 'content-type': type } }).formData()
      : null,
  }
}

/** `GET /workers/scripts/:name` */
const find = (routes: Routes, { method, path }: Call) => {
  for (const [pattern, route] of Object.entries(routes)) {
    const [routeMethod, routePath = ''] = pattern.split(' ')
    const match = new RegExp(`^${routePath.replaceAll(/:\w+/g, '([^/]+)')}$`).exec(path)
    if (routeMethod === method && match) return [route, match.slice(1)] as const
  }
  return [null, []] as const
}
