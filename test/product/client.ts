import { createCaller } from './caller.ts'

/** A caller with an account of its own, so that no test sees what another left. Throws what is refused. */
export const newClient = async ({ baseUrl, adminToken }: { baseUrl: string; adminToken: string }) => {
  const operator = createCaller(baseUrl, adminToken)
  const made = await operator.ask('POST', '/admin/accounts', { name: 'test', creditDollars: 10 })
  const caller = createCaller(baseUrl, made.body.data.apiKey)
  const accepted =
    (method: string) =>
    async <T = Record<string, unknown>>(path: string, body?: unknown): Promise<T> => {
      const answer = await caller.ask(method, path, body)
      if (!answer.body.success) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.error}`)
      return answer.body.data
    }
  return {
    ...caller,
    apiKey: made.body.data.apiKey as string,
    get: accepted('GET'),
    post: accepted('POST'),
    remove: accepted('DELETE'),
  }
}

export type Client = Awaited<ReturnType<typeof newClient>>
