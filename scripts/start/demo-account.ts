import { readFile } from 'node:fs/promises'
import { writePrivately } from '../../self-host/secrets.ts'
import type { State } from './state.ts'

/** `dev.json`: what tests, benchmarks and a developer's scripts need to call this instance. */
export interface DevFile {
  baseUrl: string
  /** The first of `engineUrls`. */
  engineUrl: string
  engineUrls: string[]
  apiKey: string
  adminToken: string
  accountId: string
}

type Account = Pick<DevFile, 'apiKey' | 'accountId'>

const CREDIT_DOLLARS = 10

/** Creates the demo account once per state folder, and again when its key is no longer accepted. */
export const ensureDemoAccount = async (
  state: State,
  urls: Pick<DevFile, 'baseUrl' | 'engineUrl' | 'engineUrls'>,
  adminToken: string,
): Promise<DevFile> => {
  const account = (await knownAccount(state, urls.baseUrl)) ?? (await createAccount(urls.baseUrl, adminToken))
  const dev = { ...urls, apiKey: account.apiKey, adminToken, accountId: account.accountId }
  await writePrivately(state.devFile, `${JSON.stringify(dev, null, 2)}\n`)
  return dev
}

const knownAccount = async ({ devFile }: State, baseUrl: string): Promise<Account | undefined> => {
  const saved: Account | undefined = await readFile(devFile, 'utf8').then(JSON.parse, () => undefined)
  if (!saved) return undefined
  const response = await fetch(`${baseUrl}/account`, { headers: { authorization: `Bearer ${saved.apiKey}` } })
  await response.body?.cancel()
  return response.status === 401 ? undefined : saved
}

const createAccount = async (baseUrl: string, adminToken: string): Promise<Account> => {
  const response = await fetch(`${baseUrl}/admin/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'demo', creditDollars: CREDIT_DOLLARS }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The demo account could not be created: ${text}`)
  return (JSON.parse(text) as { data: Account }).data
}
