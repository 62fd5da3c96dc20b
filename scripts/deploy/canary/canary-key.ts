/** An API key for one canary. */
export interface CanaryKey {
  apiKey: string
  revoke(): Promise<void>
}

export interface CanaryAccess {
  /** A key that the operator made. */
  apiKey?: string | undefined
  /** Makes the account `canary` once, and a key for each canary. */
  adminToken?: string | undefined
}

const ACCOUNT = 'canary'
/** A canary costs less than a hundredth of a cent. */
const CREDIT_DOLLARS = 1

/** null: there is no way to a key. */
export const canaryKey = async (baseUrl: string, { apiKey, adminToken }: CanaryAccess): Promise<CanaryKey | null> => {
  if (apiKey) return { apiKey, revoke: async () => {} }
  if (!adminToken) return null
  const admin = adminOf(baseUrl, adminToken)
  const accountId = await findAccount(admin)
  const key = accountId
    ? { accountId, ...(await admin<Key>('POST', `/admin/accounts/${accountId}/keys`)) }
    : await admin<Key & { accountId: string }>('POST', '/admin/accounts', {
        name: ACCOUNT,
        creditDollars: CREDIT_DOLLARS,
      })
  return {
    apiKey: key.apiKey,
    revoke: async () => void (await admin('DELETE', `/admin/accounts/${key.accountId}/keys/${key.keyId}`)),
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

type Admin = <T>(method: string, path: string, body?: object) => Promise<T>

const findAccount = async (admin: Admin): Promise<string | null> => {
  for (let cursor = ''; ; ) {
    const query = `name=${ACCOUNT}&limit=100${cursor ? `&cursor=${cursor}` : ''}`
    const { accounts, nextCursor } = await admin<AccountPage>('GET', `/admin/accounts?${query}`)
    const found = accounts.find(({ name }) => name === ACCOUNT)
    if (found || !nextCursor) return found?.accountId ?? null
    cursor = nextCursor
  }
}

const adminOf =
  (baseUrl: string, token: string): Admin =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (!response.ok)
      throw new Error(`${method} ${path.split('?')[0]} answered ${response.status}: ${text.slice(0, 300)}`)
    return JSON.parse(text).data
  }
