import { readFile } from 'node:fs/promises'
import { Haul, HaulApiError } from '../../client/src/index.ts'
import { writePrivately } from '../../self-host/data/secrets.ts'
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
  const refused = await new Haul({ baseUrl, apiKey: saved.apiKey }).account().catch((error) => error)
  return refused instanceof HaulApiError && refused.status === 401 ? undefined : saved
}

const createAccount = (baseUrl: string, adminToken: string): Promise<Account> => {
  const operator = new Haul({ baseUrl, apiKey: adminToken })
  return operator.request('POST', '/admin/accounts', { body: { name: 'demo', creditDollars: CREDIT_DOLLARS } })
}
