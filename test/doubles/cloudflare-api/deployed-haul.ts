import { createServer } from 'node:http'
import { listenOnLoopback } from '../../support/loopback.ts'

/** What a canary calls of a deployed Haul. Its imports take no time, and it remembers who asked for what. */
export interface DeployedHaul {
  url: string
  /** `POST /import` and others, in order, each with its key or token. */
  requests: string[]
  accounts: { accountId: string; name: string; creditDollars: number }[]
  /** Keys that were not revoked. */
  keys: Set<string>
  /** `wrong-bytes`: a file of other bytes. `failed`: the job fails. */
  imports: 'completed' | 'wrong-bytes' | 'failed'
  /** What its containers say of the walls around untrusted input. */
  walls: true | string
  /** How often each spare container was asked for that was not stopped, and how many the platform has. */
  spares: Map<string, number>
  maxSpares: number
  /** How it sends transcripts. */
  encoding: string
  close(): Promise<void>
}

export const ADMIN_TOKEN = 'admin-token'
const FILE = 'the bytes of canary.mp3'

export const startDeployedHaul = async (): Promise<DeployedHaul> => {
  const requests: string[] = []
  const accounts: DeployedHaul['accounts'] = []
  const keys = new Set<string>()
  const spares = new Map<string, number>()
  let count = 0

  const newKey = () => {
    count += 1
    keys.add(`key-${count}`)
    return { keyId: `key-${count}`, apiKey: `key-${count}` }
  }

  /** It answers when it is asked for the second time, and its yt-dlp runs at the third. */
  const spareEngine = (path: string) => {
    if (!spares.has(path) && spares.size >= haul.maxSpares) return { state: 'failed', health: null }
    const asked = (spares.get(path) ?? 0) + 1
    spares.set(path, asked)
    if (asked === 1) return { state: 'starting', health: null }
    const parts = { 'yt-dlp': asked > 2 || 'is still starting', sandbox: haul.walls }
    const status = asked > 2 && haul.walls === true ? 'ok' : 'degraded'
    return { state: 'running', health: { status, running: 0, capacity: 9, parts } }
  }

  const answer = (call: string, body: string, query: URLSearchParams): object | string | null => {
    const path = call.split(' ')[1] ?? ''
    switch (
      call
        .replace(/acct_\d+/, ':account')
        .replace(/key-\d+$/, ':key')
        .replace(/spare-engines\/\d+$/, 'spare-engines/:number')
    ) {
      case 'PATCH /admin/accounts/:account':
      case 'POST /admin/accounts/:account/credits':
        return {}
      case 'POST /admin/spare-engines/:number':
        return spareEngine(path)
      case 'DELETE /admin/spare-engines/:number':
        spares.delete(path)
        return { stopped: true }
      case 'GET /openapi.json':
      case 'POST /v1/audio/transcriptions':
      case 'GET /health':
        return { status: 'ok' }
      case 'GET /admin/accounts':
        // Two pages: a page may have none of the accounts with a name.
        return query.has('cursor') ? { accounts, nextCursor: null } : { accounts: [], nextCursor: 'next' }
      case 'POST /admin/accounts': {
        const account = { accountId: `acct_${accounts.length}`, ...JSON.parse(body) }
        accounts.push(account)
        return { accountId: account.accountId, ...newKey() }
      }
      case 'POST /admin/accounts/:account/keys':
        return newKey()
      case 'DELETE /admin/accounts/:account/keys/:key':
        return keys.delete(call.split('/').at(-1) ?? '') ? { revoked: true } : null
      case 'POST /import':
        return { jobId: 'imp_1' }
      case 'GET /import/status': {
        if (haul.imports === 'failed')
          return { jobId: 'imp_1', status: 'failed', code: 'TIMED_OUT', message: 'No container started.' }
        return { status: 'completed', result: { mediaUrl: `${url}/media/${haul.imports}` } }
      }
      case 'GET /assets/canary.mp3':
      case 'GET /media/completed':
        return FILE
      case 'GET /media/wrong-bytes':
        return FILE.slice(1)
      default:
        return null
    }
  }

  const isAllowed = (path: string, authorization: string): boolean => {
    if (path.startsWith('/admin/')) return authorization === `Bearer ${ADMIN_TOKEN}`
    if (path.startsWith('/import')) return keys.has(authorization.replace('Bearer ', ''))
    return true
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://haul')
    const body = Buffer.concat(await request.toArray()).toString()
    const call = `${request.method} ${pathname}`
    requests.push(call)
    const data = isAllowed(pathname, request.headers.authorization ?? '') ? answer(call, body, searchParams) : null
    const encoding = pathname.startsWith('/v1/') ? { 'content-encoding': haul.encoding } : {}
    response.writeHead(data ? 200 : 401, { 'x-api-version': '1', ...encoding })
    response.end(typeof data === 'string' ? data : JSON.stringify({ success: data !== null, data }))
  })
  const { url, close } = await listenOnLoopback(server)
  const haul: DeployedHaul = {
    ...{ url, requests, accounts, keys, close, spares },
    ...{ imports: 'completed', walls: true, maxSpares: Number.POSITIVE_INFINITY, encoding: 'identity' },
  }
  return haul
}
