import { createServer } from 'node:http'
import { listenOnLoopback } from '../../support/loopback.ts'

/** What a canary calls of a deployed Haul. Its imports take no time, and it remembers who asked for what. */
export interface DeployedHaul {
  url: string
  /** `POST /import` and others, in order, each with its key or token. */
  requests: string[]
  accounts: { accountId: string; name: string; creditDollars: number }[]
  /** What accounts got later, in dollars. */
  credits: number[]
  /** Keys that were not revoked. */
  keys: Set<string>
  /** `wrong-bytes`: a file of other bytes. `failed`: the job fails. `waiting`: no container runs its step. */
  imports: 'completed' | 'wrong-bytes' | 'failed' | 'waiting'
  /** What it sends as a transcript, and the Content-Encoding that it has then. */
  transcript: string
  encoding: string
  close(): Promise<void>
}

export const ADMIN_TOKEN = 'admin-token'
const FILE = 'the bytes of canary.mp3'

export const startDeployedHaul = async (): Promise<DeployedHaul> => {
  const requests: string[] = []
  const accounts: DeployedHaul['accounts'] = []
  const credits: number[] = []
  const keys = new Set<string>()
  let count = 0

  const newKey = () => {
    count += 1
    keys.add(`key-${count}`)
    return { keyId: `key-${count}`, apiKey: `key-${count}` }
  }

  const answer = (call: string, body: string, query: URLSearchParams): object | string | null => {
    switch (call.replace(/acct_\d+/, ':account').replace(/key-\d+$/, ':key')) {
      case 'POST /admin/accounts/:account/credits':
        credits.push(JSON.parse(body).amountDollars)
        return {}
      case 'GET /admin/engines':
        return { engines: [{ name: 'engine-0', state: 'draining' }] }
      case 'POST /v1/audio/transcriptions':
        return JSON.stringify({ text: haul.transcript })
      case 'DELETE /jobs/trn_1':
        return { jobId: 'trn_1', removed: true }
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
        if (haul.imports === 'waiting') return { jobId: 'imp_1', status: 'queued' }
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
    const ofTranscript = { 'content-encoding': haul.encoding, 'x-haul-job-id': 'trn_1' }
    response.writeHead(data ? 200 : 401, { 'x-api-version': '1', ...(pathname.startsWith('/v1/') && ofTranscript) })
    response.end(typeof data === 'string' ? data : JSON.stringify({ success: data !== null, data }))
  })
  const { url, close } = await listenOnLoopback(server)
  const haul: DeployedHaul = {
    ...{ url, requests, accounts, credits, keys, close },
    ...{ imports: 'completed', transcript: 'A sentence.', encoding: 'identity' },
  }
  return haul
}
