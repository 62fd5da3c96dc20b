import { Haul } from '../../../client/src/index.ts'

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
export const canaryKey = async (baseUrl: string, { apiKey, adminToken }: CanaryAccess) => {
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
