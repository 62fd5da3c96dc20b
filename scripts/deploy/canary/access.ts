import { Haul } from '../../../client/src/index.ts'

/** How a canary may use a deployment. */
export interface Access {
  baseUrl: string
  /** A key of an account with some credit. */
  apiKey: string
  /** With the operator's token. null: only a key is known. */
  operator: Haul | null
  /** Of the account `canary`. null: the key is of an account that someone else made. */
  accountId: string | null
  close(): Promise<unknown>
}

/** null: neither a key nor a token is known. */
export const openAccess = async (
  baseUrl: string,
  env: NodeJS.ProcessEnv,
  secretsFile: Record<string, string> | null,
): Promise<Access | null> => {
  const adminToken = env.ADMIN_TOKEN || secretsFile?.ADMIN_TOKEN
  const operator = adminToken ? new Haul({ baseUrl, apiKey: adminToken, maxRetries: 0, maxBusyMs: 0 }) : null
  const apiKey = env.CANARY_API_KEY
  if (apiKey) return { baseUrl, apiKey, operator, accountId: null, close: async () => {} }
  if (!operator) return null
  const { accountId, keyId, ...key } = await newKey(operator)
  const close = () => operator.request('DELETE', `/admin/accounts/${accountId}/keys/${keyId}`)
  return { baseUrl, apiKey: key.apiKey, operator, accountId, close }
}

const ACCOUNT = 'canary'
/** An import of the small file costs less than a hundredth of a cent. */
const CREDIT_DOLLARS = 1

interface Key {
  keyId: string
  apiKey: string
}

/** A key for one canary. The account is made once. */
const newKey = async (operator: Haul): Promise<Key & { accountId: string }> => {
  const accountId = await findAccount(operator)
  if (accountId) return { accountId, ...(await operator.request<Key>('POST', `/admin/accounts/${accountId}/keys`)) }
  return operator.request('POST', '/admin/accounts', { body: { name: ACCOUNT, creditDollars: CREDIT_DOLLARS } })
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
