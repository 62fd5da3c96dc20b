import { type AccountClient, createApiClient, newAccountClient } from '../test/support/product/api-client.ts'

export type Account = AccountClient & { baseUrl: string }

interface Running {
  baseUrl: string
  adminToken: string
}

/** A new account whose limits for an hour end no run. `atOnce`: how many imports it may run at a time. */
export const newAccount = async (haul: Running, atOnce = 2): Promise<Account> => {
  const client = await newAccountClient(haul, { creditDollars: 100 })
  const limits = { requestsPerHour: { import: 10_000, status: 100_000 }, concurrentJobs: { import: atOnce } }
  const operator = createApiClient(haul.baseUrl, haul.adminToken)
  const { status } = await operator.request('PATCH', `/admin/accounts/${client.accountId}`, { limits })
  if (status !== 200) throw new Error(`the limits were not set: ${status}`)
  return { ...client, baseUrl: haul.baseUrl }
}

export const newAccounts = (haul: Running, count: number): Promise<Account[]> =>
  Promise.all(Array.from({ length: count }, () => newAccount(haul)))

interface EndedImport {
  status: string
  code?: string
  message?: string
  completedAt: string
}

/** How a caller waits for the end of its import. */
export type Wait = (account: Account, jobId: string) => Promise<EndedImport>

export const byWait: Wait = async (account, jobId) => {
  for (;;) {
    const job = await account.get<EndedImport | { completedAt: null }>(`/import/status?id=${jobId}&wait=30`)
    if (job.completedAt) return job
  }
}

export const byEvents: Wait = async ({ baseUrl, apiKey }, jobId) => {
  const headers = { authorization: `Bearer ${apiKey}` }
  const events = await (await fetch(`${baseUrl}/jobs/${jobId}/events`, { headers })).text()
  return JSON.parse(events.trimEnd().split('\ndata: ').at(-1) ?? '')
}

/** Resolves to the milliseconds from `completedAt` to the last byte that the caller received. */
export const importOf = async (account: Account, request: { url: string }, wait = byWait): Promise<number> => {
  const { status, code, message, completedAt } = await wait(account, await account.start(request))
  if (status !== 'completed') throw new Error(`${request.url}: ${code}: ${message}`)
  return Date.now() - Date.parse(completedAt)
}

/** One from each account. */
export const importAtOnce = (accounts: Account[], requests: { url: string }[], wait: Wait): Promise<number[]> =>
  Promise.all(requests.map((request, index) => importOf(accounts[index] as Account, request, wait)))
