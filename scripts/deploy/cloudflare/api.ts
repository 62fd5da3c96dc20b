import type { Target } from '../target.ts'
import { runWrangler, wranglerOutput } from './wrangler.ts'

const NOT_LOGGED_IN =
  'You are not logged in to Cloudflare: run `npx wrangler login` or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.'

/** Cloudflare's API (https://developers.cloudflare.com/api). Like wrangler, it prefers the account of wrangler.toml. */
export const openCloudflare = async (target: Target, env: NodeJS.ProcessEnv) => {
  const base = env.CLOUDFLARE_API_BASE_URL || 'https://api.cloudflare.com/client/v4'
  const headers = { ...(await credentials(env)), 'content-type': 'application/json' }
  const accountId = target.accountId || env.CLOUDFLARE_ACCOUNT_ID || (await onlyAccount(base, headers))
  const account = `${base}/accounts/${accountId}`
  return {
    accountId,
    /** null: not found. Paths are relative to the account. */
    get: <T>(path: string): Promise<T | null> => call<T>(`${account}${path}`, { headers }),
    send: async <T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<T> => {
      const result = await call<T>(`${account}${path}`, { method, headers, body: JSON.stringify(body) })
      if (result === null) throw new Error(`Cloudflare answered ${method} ${path} with 404.`)
      return result
    },
    wrangler: (args: string[]) => runWrangler(args, { ...env, CLOUDFLARE_ACCOUNT_ID: accountId }),
  }
}

export type CloudflareApi = Awaited<ReturnType<typeof openCloudflare>>

interface Envelope<T> {
  success: boolean
  result: T
  errors?: { code?: number; message: string }[]
}

const call = async <T>(url: string, init: RequestInit): Promise<T | null> => {
  const response = await fetch(url, init)
  if (response.status === 404) {
    await response.body?.cancel()
    return null
  }
  const text = await response.text()
  const envelope = parse<T>(text)
  if (response.ok && envelope?.success !== false) return envelope?.result ?? (undefined as T)
  const reasons = envelope?.errors?.map(({ code, message }) => `${message} [${code}]`).join(', ') || text.slice(0, 500)
  const path = new URL(url).pathname
  throw new Error(`Cloudflare answered ${init.method ?? 'GET'} ${path} with ${response.status}: ${reasons}`)
}

const parse = <T>(text: string): Envelope<T> | null => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

type Login = { type: 'oauth' | 'api_token'; token: string } | { type: 'api_key'; key: string; email: string }

const credentials = async (env: NodeJS.ProcessEnv): Promise<Record<string, string>> => {
  if (env.CLOUDFLARE_API_TOKEN) return { authorization: `Bearer ${env.CLOUDFLARE_API_TOKEN}` }
  const output = await wranglerOutput(['auth', 'token', '--json'], env).catch(() => {
    throw new Error(NOT_LOGGED_IN)
  })
  const login: Login = JSON.parse(output)
  if (login.type === 'api_key') return { 'x-auth-key': login.key, 'x-auth-email': login.email }
  return { authorization: `Bearer ${login.token}` }
}

const onlyAccount = async (base: string, headers: Record<string, string>): Promise<string> => {
  const accounts = (await call<{ id: string; name: string }[]>(`${base}/accounts`, { headers })) ?? []
  if (accounts.length === 1 && accounts[0]) return accounts[0].id
  const names = accounts.map(({ id, name }) => `${id} (${name})`).join(', ') || 'none'
  throw new Error(`Set CLOUDFLARE_ACCOUNT_ID to one of your accounts: ${names}.`)
}
