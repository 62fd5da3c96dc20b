import { env } from 'cloudflare:workers'
import { type ApiResponse, type Caller, numbered } from './caller.ts'

export interface UploadedPart {
  number: number
  etag: string | null
}

interface PendingUpload {
  uploadId: string
  parts: { number: number; url: string; sizeBytes: number }[]
}

export const started = async (caller: Caller, sizeBytes = 1_000, filename = 'talk.mp3'): Promise<PendingUpload> => {
  const { status, body } = await caller.post('/uploads', { filename, sizeBytes })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data
}

export const keyIn = (url: string): string => new URL(url).pathname.replace('/haul-media/', '')

export const multipartIn = (url: string): R2MultipartUpload =>
  env.MEDIA.resumeMultipartUpload(keyIn(url), new URL(url).searchParams.get('uploadId') ?? '')

/** What a client does with a part's URL: these tests have no S3 server, so the binding takes the bytes. */
export const sendPart = async ({ number, url, sizeBytes }: PendingUpload['parts'][number]): Promise<UploadedPart> => ({
  number,
  etag: (await multipartIn(url).uploadPart(number, numbered(sizeBytes))).etag,
})

export const sendAll = (upload: PendingUpload): Promise<UploadedPart[]> => Promise.all(upload.parts.map(sendPart))

export const complete = (caller: Caller, { uploadId }: PendingUpload, parts: UploadedPart[]): Promise<ApiResponse> =>
  caller.post(`/uploads/${uploadId}/complete`, { parts })

/** The id of an upload that jobs can read. */
export const ready = async (caller: Caller, filename?: string): Promise<string> => {
  const upload = await started(caller, 1_000, filename)
  const { status, body } = await complete(caller, upload, await sendAll(upload))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return upload.uploadId
}

export const transcribe = (caller: Caller, request: object): Promise<ApiResponse> =>
  caller.post('/transcribe', { provider: 'builtin', ...request })

export const startedOn = async (caller: Caller, source: object): Promise<string> => {
  const { status, body } = await transcribe(caller, source)
  if (status !== 202) throw new Error(JSON.stringify(body))
  return body.data.jobId
}
