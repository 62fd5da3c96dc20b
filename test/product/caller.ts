import { setTimeout as pause } from 'node:timers/promises'

/** The API as a caller's program would use it. */
export interface Status {
  jobId: string
  status: string
  message?: string
  code?: string
  retryable?: boolean
  progress?: { stage: string; downloadedBytes: number; totalBytes: number | null }
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what came, whatever it is
  result?: any
}

export interface Answered {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what came, whatever it is
  body: any
}

export const createCaller = (baseUrl: string, apiKey: string) => {
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
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
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    } as Answered
  }
  const read = async (jobId: string, wait = 0): Promise<Status> =>
    (await ask('GET', `/import/status?id=${jobId}&wait=${wait}`)).body.data
  return {
    ask,
    read,
    /** Starts an import that must be accepted. */
    start: async (request: object): Promise<string> => {
      const { status, body } = await ask('POST', '/import', request)
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body.data.jobId
    },
    /** The job when it has ended. The test's own time-out is the limit. */
    ended: async (jobId: string): Promise<Status> => {
      for (;;) {
        const job = await read(jobId, 30)
        if (job.status === 'completed' || job.status === 'failed') return job
      }
    },
    /** The job as soon as it is as wanted. */
    until: async (jobId: string, isWanted: (job: Status) => boolean): Promise<Status> => {
      for (;;) {
        const job = await read(jobId)
        if (isWanted(job)) return job
        await pause(50)
      }
    },
    account: async () => (await ask('GET', '/account')).body.data,
  }
}

export type Caller = ReturnType<typeof createCaller>
