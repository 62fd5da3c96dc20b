import { setTimeout as sleep } from 'node:timers/promises'

/** The API as a caller's program uses it. */
export interface JobStatus {
  jobId: string
  status: string
  message?: string
  code?: string
  retryable?: boolean
  progress?: { stage: string; downloadedBytes: number; totalBytes: number | null }
  // biome-ignore lint/suspicious/noExplicitAny: tests compare the result with what they expect
  result?: any
  quote?: { estimatedMinutes: number; estimatedCostDollars: number; estimated?: boolean }
}

export interface ApiResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests compare the body with what they expect
  body: any
}

export const createApiClient = (baseUrl: string, apiKey: string) => {
  const request = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }
  const read = async (jobId: string, wait = 0): Promise<JobStatus> => {
    const kind = jobId.startsWith('trn_') ? 'transcribe' : 'import'
    return (await request('GET', `/${kind}/status?id=${jobId}&wait=${wait}`)).body.data
  }
  return {
    request,
    read,
    /** Starts an import and throws if it is refused. */
    start: async (body: object): Promise<string> => {
      const response = await request('POST', '/import', body)
      if (response.status !== 202) throw new Error(`${response.status} ${JSON.stringify(response.body)}`)
      return response.body.data.jobId
    },
    /** The job once it has ended. Only the timeout of the test limits the wait. */
    ended: async (jobId: string): Promise<JobStatus> => {
      for (;;) {
        const job = await read(jobId, 30)
        if (job.status === 'completed' || job.status === 'failed') return job
      }
    },
    /** The job once the condition is met. */
    until: async (jobId: string, isMet: (job: JobStatus) => boolean): Promise<JobStatus> => {
      for (;;) {
        const job = await read(jobId)
        if (isMet(job)) return job
        await sleep(50)
      }
    },
    account: async () => (await request('GET', '/account')).body.data,
  }
}

export type ApiClient = ReturnType<typeof createApiClient>

export interface NewAccount {
  name?: string
  creditDollars?: number
}

/** A client with a new account. `get`, `post` and `remove` return the data, and throw if the request is refused. */
export const newAccountClient = async (
  { baseUrl, adminToken }: { baseUrl: string; adminToken: string },
  account: NewAccount = {},
) => {
  const operator = createApiClient(baseUrl, adminToken)
  const created = await operator.request('POST', '/admin/accounts', { name: 'test', creditDollars: 10, ...account })
  const client = createApiClient(baseUrl, created.body.data.apiKey)
  const dataOf =
    (method: string) =>
    async <T = Record<string, unknown>>(path: string, body?: unknown): Promise<T> => {
      const response = await client.request(method, path, body)
      if (!response.body.success) throw new Error(`${method} ${path}: ${response.status} ${response.body.error}`)
      return response.body.data
    }
  return {
    ...client,
    apiKey: created.body.data.apiKey as string,
    accountId: created.body.data.accountId as string,
    keyId: created.body.data.keyId as string,
    get: dataOf('GET'),
    post: dataOf('POST'),
    /** The transcription once it has ended. */
    transcribed: async (body: object): Promise<JobStatus> =>
      client.ended((await dataOf('POST')<{ jobId: string }>('/transcribe', body)).jobId),
    remove: dataOf('DELETE'),
  }
}

export type AccountClient = Awaited<ReturnType<typeof newAccountClient>>
