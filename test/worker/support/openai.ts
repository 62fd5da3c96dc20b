import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { uploadKey } from '../../../domain/media/media-keys.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import worker from '../../../worker/index.ts'
import { eventually } from './clock.ts'
import { inTables, uploadsOf } from './tables.ts'
import { type Caller, recognizeAs } from './transcriptions.ts'

export type Fields = [string, string | File][]

export const PATH = '/v1/audio/transcriptions'

export const fileOf = (content: string | Uint8Array<ArrayBuffer>, name = 'talk.mp3'): File =>
  new File([content], name, { type: 'audio/mpeg' })

interface Sent {
  apiKey: string
  /** The request is given up after this long, by default later than any test ends. */
  waitMs?: number
  body?: BodyInit | null
  headers?: Record<string, string>
  method?: string
  within?: Partial<Env>
}

export interface OpenaiResponse {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the JSON themselves.
  body: any
}

/** A request to OpenAI's API. */
export const sendTo = async (path: string, sent: Sent): Promise<OpenaiResponse> => {
  const { response, ctx } = await openTo(path, sent)
  const text = await response.text()
  await waitOnExecutionContext(ctx)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
}

/** Its response, of which nothing is read yet. */
export const openTo = async (path: string, sent: Sent) => {
  const { apiKey, waitMs = 600_000, body = null, headers = {}, method = 'POST', within = {} } = sent
  const ctx = createExecutionContext()
  const request = new Request(`https://haul.test${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    body,
  })
  const settings = { TRANSCRIPTION_WAIT_MS: `${waitMs}`, ...within }
  return { response: await worker.fetch(request, { ...env, ...settings }, ctx), ctx }
}

export const formOf = (fields: Fields): FormData => {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

export const transcribe = (
  { apiKey }: Pick<Caller, 'apiKey'>,
  fields: Fields,
  options: Partial<Sent> = {},
): Promise<OpenaiResponse> => sendTo(PATH, { apiKey, body: formOf(fields), ...options })

export const jobsOf = async (caller: Caller): Promise<{ jobId: string; status: string }[]> =>
  (await caller.callApi('GET', '/jobs')).body.data.jobs

/** The only live job, as soon as it has started. */
export const liveJob = (caller: Caller): Promise<string> =>
  eventually(async () => {
    const live = (await jobsOf(caller)).filter(({ status }) => status === 'queued')
    expect(live).toHaveLength(1)
    return live[0]?.jobId ?? ''
  })

/** The response to a request whose job is completed with these segments meanwhile. */
export const heard = async (caller: Caller, fields: Fields, segments: Segment[]): Promise<OpenaiResponse> => {
  const responding = transcribe(caller, fields)
  await recognizeAs(caller, await liveJob(caller), segments)
  return responding
}

export const receivedFiles = ({ account }: Caller): Promise<Upload[]> => inTables(account, uploadsOf)

/** Storage has neither an object nor parts of any file that the account received. */
export const expectNothingStored = async (caller: Caller): Promise<Upload[]> =>
  eventually(async () => {
    const files = await receivedFiles(caller)
    for (const upload of files) {
      const { id, state, multipartId } = upload
      const key = uploadKey(id, upload)
      expect(state).toBe('removed')
      expect(await env.MEDIA.head(key)).toBeNull()
      await expect(env.MEDIA.resumeMultipartUpload(key, multipartId ?? '').uploadPart(1, 'x')).rejects.toThrow(
        /multipart/,
      )
    }
    return files
  })
