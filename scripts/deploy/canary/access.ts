import { setTimeout as sleep } from 'node:timers/promises'
import { Haul } from '../../../client/src/index.ts'

export interface Access {
  baseUrl: string
  apiKey: string
  /** With the key, and without retries: each failure counts. */
  haul: Haul
  /** With the operator's token. null: only a key is known. */
  operator: Haul | null
  /** Of the account `canary`. null: the key is of an account that someone else made. */
  accountId: string | null
  close(): Promise<unknown>
}

export const openAccess = async (
  baseUrl: string,
  secretOf: (name: string) => string | undefined,
): Promise<Access | null> => {
  const clientOf = (apiKey: string) => new Haul({ baseUrl, apiKey, maxRetries: 0, maxBusyMs: 0 })
  const accessBy = (apiKey: string) => ({ baseUrl, apiKey, haul: clientOf(apiKey) })
  const [ownKey, adminToken] = ['CANARY_API_KEY', 'ADMIN_TOKEN'].map(secretOf)
  const operator = adminToken ? clientOf(adminToken) : null
  if (ownKey) return { ...accessBy(ownKey), operator, accountId: null, close: async () => {} }
  if (!operator) return null
  const { accountId, keyId, apiKey } = await newKey(operator)
  const close = () => operator.request('DELETE', `/admin/accounts/${accountId}/keys/${keyId}`)
  return { ...accessBy(apiKey), operator, accountId, close }
}

const ACCOUNT = 'canary'
/** An import of the small file costs less than a hundredth of a cent. */
const CREDIT_DOLLARS = 1

/** A key for one canary. The account is made once. */
const newKey = async (operator: Haul): Promise<Record<'accountId' | 'keyId' | 'apiKey', string>> => {
  const accountId = await findAccount(operator)
  if (!accountId)
    return operator.request('POST', '/admin/accounts', { body: { name: ACCOUNT, creditDollars: CREDIT_DOLLARS } })
  const key = await operator.request<{ keyId: string; apiKey: string }>('POST', `/admin/accounts/${accountId}/keys`)
  return { accountId, ...key }
}

const findAccount = async (operator: Haul): Promise<string | null> => {
  for (let cursor: string | undefined; ; ) {
    const query = { name: ACCOUNT, limit: 100, cursor }
    type Page = { accounts: { accountId: string; name: string }[]; nextCursor: string | null }
    const { accounts, nextCursor } = await operator.request<Page>('GET', '/admin/accounts', { query })
    const found = accounts.find(({ name }) => name === ACCOUNT)
    if (found || !nextCursor) return found?.accountId ?? null
    cursor = nextCursor
  }
}

/** A name on workers.dev is new with the first deployment. */
const HEALTH_TIMEOUT_MS = 120_000
const HEALTH_INTERVAL_MS = 1_000
const API_VERSION = '1'

/** Resolves when the API responds with the version that this checkout is made for. */
export const healthy = async (baseUrl: string, timeoutMs = HEALTH_TIMEOUT_MS): Promise<void> => {
  const until = performance.now() + timeoutMs
  for (;;) {
    const problem = await healthProblem(baseUrl)
    if (!problem) return
    if (performance.now() > until) throw new Error(`${baseUrl}/health ${problem}`)
    await sleep(HEALTH_INTERVAL_MS)
  }
}

const healthProblem = async (baseUrl: string): Promise<string | null> => {
  try {
    const response = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(10_000) })
    await response.body?.cancel()
    const version = response.headers.get('x-api-version')
    if (!response.ok) return `answers ${response.status}.`
    return version === API_VERSION ? null : `has X-Api-Version ${version}, not ${API_VERSION}.`
  } catch (error) {
    return `does not answer: ${reasonOf(error)}`
  }
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}
