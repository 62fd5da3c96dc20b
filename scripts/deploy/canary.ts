import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Haul, HaulApiError, HaulJobError, HaulTimeoutError } from '../../client/src/index.ts'

/** A container that starts for the first time on a machine fetches its image. */
const IMPORT_TIMEOUT_MS = 300_000
/** A name on workers.dev is new with the first deployment. */
const HEALTH_TIMEOUT_MS = 120_000
const HEALTH_INTERVAL_MS = 1_000
const API_VERSION = '1'

/** Returns what was tried, and throws with what does not work. */
export const tryDeployment = async (
  baseUrl: string | null,
  env: NodeJS.ProcessEnv,
  secretsFile: Record<string, string> | null,
): Promise<string> => {
  if (!baseUrl) return 'NOT TESTED: set PUBLIC_URL, because the address of the Worker cannot be known from here'
  await healthy(baseUrl)
  const adminToken = env.ADMIN_TOKEN || secretsFile?.ADMIN_TOKEN
  const key = await canaryKey(baseUrl, { apiKey: env.CANARY_API_KEY, adminToken })
  if (!key) return 'only /health responds. NOT TESTED: an import, which needs CANARY_API_KEY or ADMIN_TOKEN'
  try {
    // Part of the console, so that every deployment has it.
    const sourceUrl = env.CANARY_URL || `${baseUrl}/assets/canary.mp3`
    const sizeBytes = await importOnce(baseUrl, key.apiKey, sourceUrl)
    return `imported ${sourceUrl}, ${sizeBytes} bytes that are the same`
  } finally {
    await key.revoke()
  }
}

const ACCOUNT = 'canary'
/** A canary costs less than a hundredth of a cent. */
const CREDIT_DOLLARS = 1

interface CanaryAccess {
  /** A key that the operator made. */
  apiKey: string | undefined
  /** Makes the account `canary` once, and a key for each canary. */
  adminToken: string | undefined
}

/** An API key for one canary. null: there is no way to one. */
const canaryKey = async (baseUrl: string, { apiKey, adminToken }: CanaryAccess) => {
  if (apiKey) return { apiKey, revoke: async () => {} }
  if (!adminToken) return null
  const operator = new Haul({ baseUrl, apiKey: adminToken, maxRetries: 0, maxBusyMs: 0 })
  const accountId = await findAccount(operator)
  const body = { name: ACCOUNT, creditDollars: CREDIT_DOLLARS }
  const key = accountId
    ? { accountId, ...(await operator.request<Key>('POST', `/admin/accounts/${accountId}/keys`)) }
    : await operator.request<Key & { accountId: string }>('POST', '/admin/accounts', { body })
  return {
    apiKey: key.apiKey,
    revoke: () => operator.request('DELETE', `/admin/accounts/${key.accountId}/keys/${key.keyId}`),
  }
}

interface Key {
  keyId: string
  apiKey: string
}

interface AccountPage {
  accounts: { accountId: string; name: string }[]
  nextCursor: string | null
}

const findAccount = async (operator: Haul): Promise<string | null> => {
  for (let cursor: string | undefined; ; ) {
    const query = { name: ACCOUNT, limit: 100, cursor }
    const { accounts, nextCursor } = await operator.request<AccountPage>('GET', '/admin/accounts', { query })
    const found = accounts.find(({ name }) => name === ACCOUNT)
    if (found || !nextCursor) return found?.accountId ?? null
    cursor = nextCursor
  }
}

/**
 * One import of a small file through the deployed API, whose bytes are compared with the source: it passes the Worker,
 * the account's object, the queue, the fleet, a container, the bucket and the signed link. Returns the size.
 */
const importOnce = async (baseUrl: string, apiKey: string, sourceUrl: string): Promise<number> => {
  const haul = new Haul({ baseUrl, apiKey, maxRetries: 0, maxBusyMs: 0 })
  const options = { includeVideo: false, timeoutMs: IMPORT_TIMEOUT_MS }
  const { jobId, mediaUrl } = await haul.import(sourceUrl, options).catch((cause) => {
    throw new Error(importProblem(cause), { cause })
  })
  const [source, media] = await Promise.all([download(sourceUrl), download(mediaUrl)])
  if (sha256(source) === sha256(media)) return media.length
  throw new Error(`${jobId} has ${media.length} bytes that are not the ${source.length} bytes of ${sourceUrl}.`)
}

const importProblem = (error: Error): string => {
  if (error instanceof HaulJobError) return `${error.jobId} ended as failed: ${error.code} ${error.message}`
  if (error instanceof HaulApiError)
    return `the import was refused with ${error.status} ${error.code}: ${error.message}`
  if (!(error instanceof HaulTimeoutError)) return error.message
  return `${error.jobId ?? 'The import'} was not completed within ${IMPORT_TIMEOUT_MS / 60_000} minutes.`
}

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

const download = async (url: string): Promise<Uint8Array> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  if (!response.ok) throw new Error(`GET ${url.split('?')[0]} answered ${response.status}.`)
  return response.bytes()
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}
