import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { OfferedModel } from '../../../domain/jobs/speech-models.ts'
import worker from '../../../worker/index.ts'
import { ORIGIN } from './caller.ts'

export const small: OfferedModel = {
  ...{ name: 'small', engine: 'builtin', isDefault: true, languages: 'all', speed: 8.5 },
  ...{ words: true, speakers: true, vocabulary: true, translation: true },
}

export const english: OfferedModel = {
  ...{ name: 'english', engine: 'builtin', isDefault: false, languages: ['en'], speed: null },
  ...{ words: false, speakers: false, vocabulary: false, translation: false },
}

/** A fleet whose engines have these models. null: they have not said them. */
export const withModels = (models: OfferedModel[] | null, more: object = {}) => {
  const fleet = { models: async () => ({ models, tellsSpeakers: null }), ...more }
  return { FLEET_OBJECTS: { getByName: () => fleet } as unknown as Env['FLEET_OBJECTS'] }
}

/** A request to a Worker with other bindings. */
export const sendWith = async (
  bindings: object,
  apiKey: string | null,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the JSON themselves.
): Promise<{ status: number; headers: Headers; body: any }> => {
  const ctx = createExecutionContext()
  const headers = { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) }
  const request = new Request(`${ORIGIN}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const response = await worker.fetch(request, { ...env, ...bindings } as Env, ctx)
  const answer = { status: response.status, headers: response.headers, body: await response.json() }
  await waitOnExecutionContext(ctx)
  return answer
}
