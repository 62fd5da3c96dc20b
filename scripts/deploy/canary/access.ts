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
  if (!accountId) {
    return operator.request('POST', '/admin/accounts', { body: { name: ACCOUNT, creditDollars: CREDIT_DOLLARS } })
  }
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
