import { readFile } from 'node:fs/promises'
import type { DataFolder } from './data-folder.ts'
import { writePrivately } from './secrets.ts'

export interface Operated {
  workerUrl: URL
  adminToken: string
}

const NAME = 'owner'

/** The operator's account. It is created at the first start and later found by its id, so it may be renamed. */
export const ensureOwner = async ({ ownerFile }: DataFolder, operated: Operated): Promise<string> => {
  const known = await readFile(ownerFile, 'utf8').catch(() => '')
  if (known !== '') return known
  const accountId = (await earlierOwner(operated)) ?? (await createOwner(operated))
  await writePrivately(ownerFile, accountId)
  return accountId
}

/** An account from a start that ended before it stored the id. */
const earlierOwner = async (operated: Operated): Promise<string | null> => {
  type Page = { accounts: { accountId: string; name: string }[] }
  const { accounts } = await call<Page>(operated, 'GET', `/admin/accounts?limit=100&name=${NAME}`)
  return accounts.find(({ name }) => name === NAME)?.accountId ?? null
}

/** The key of a new account is shown only once, and nobody would see it here, so it is deleted. */
const createOwner = async (operated: Operated): Promise<string> => {
  type Created = { accountId: string; keyId: string }
  const { accountId, keyId } = await call<Created>(operated, 'POST', '/admin/accounts', { name: NAME })
  await call(operated, 'DELETE', `/admin/accounts/${accountId}/keys/${keyId}`)
  return accountId
}

export const newApiKey = async (operated: Operated, accountId: string): Promise<string> =>
  (await call<{ apiKey: string }>(operated, 'POST', `/admin/accounts/${accountId}/keys`)).apiKey

const call = async <T>(
  { workerUrl, adminToken }: Operated,
  method: string,
  path: string,
  body?: object,
): Promise<T> => {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(new URL(path, workerUrl), init)
  const text = await response.text()
  if (!response.ok) throw new Error(`The Worker refused ${method} ${path}: ${text}`)
  return JSON.parse(text).data
}
