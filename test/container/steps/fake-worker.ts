import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  PartsRequest,
  type PlannedUploads,
  Progress,
  StepOutcome,
  UploadRequest,
} from '../../../domain/protocol/protocol.ts'
import { listenOnLoopback } from '../../support/loopback.ts'

/**
 * The Worker's callbacks of protocol.ts, and storage behind URLs that accept one PUT each. Every message is
 * validated against the protocol's schema.
 */
export interface FakeWorker {
  callback: { url: string; token: string }
  progress: Progress[]
  uploads: UploadRequest[]
  outcomes: StepOutcome[]
  /** The stored bytes of a completed upload; null if parts are missing or their ETags do not match. */
  stored(uploaded: { key: string; uploadId: string | null; parts: string[] | null }): Buffer | null
  /** For the order of a fetch. */
  planUploads(): PlannedUploads
  /** Stores an object and returns its presigned URL. */
  storeObject(bytes: Buffer): string
  firstOutcome: Promise<StepOutcome>
  behaviour: Behaviour
  /** Requests for URLs of parts. */
  parts: PartsRequest[]
  puts: { bytes: number; part: number | null; contentType: string | undefined }[]
  /** Number of GET requests for stored objects. */
  readonly gets: number
  close(): Promise<void>
}

export interface Behaviour {
  /** The response to progress: continue, stop, or the lease is lost (409). */
  progress: 'continue' | 'stop' | 'lost'
  stopWhen?: (progress: Progress) => boolean
  /** The most bytes that it agrees to. It stops a step that needs more. Default: no limit. */
  affordableBytes?: number
  /** The seconds of speech that it agrees to. Default: it does not say, because nothing is charged. */
  agreesTo?: (progress: Progress) => number | null | undefined
  /** Answers such a report with 503. */
  losesReport?: (progress: Progress) => boolean
  /** Answers progress with 400. */
  rejectsProgress?: boolean
  /** This many PUTs fail with 500 first. */
  failPuts: number
  /** PUTs get no answer: their connections break. */
  breaksPuts?: boolean
  /** This many outcome reports fail with 503 first. */
  failOutcomes: number
  /** This many GETs fail with 500 first. */
  failGets: number
  partSizeBytes: number
  /** So many URLs come with the plan. */
  plannedUrls: number
  singleLimitBytes: number
}

export const startFakeWorker = async (behaviour: Partial<Behaviour> = {}): Promise<FakeWorker> => {
  const bodies = new Map<string, { bytes: Buffer; etag: string }>()
  const targets = new Map<string, { slot: string; part: number | null }>()
  const firstOutcome = Promise.withResolvers<StepOutcome>()
  const token = randomUUID()
  const objects = new Map<string, Buffer>()
  let gets = 0
  const worker: Omit<FakeWorker, 'callback' | 'close' | 'storeObject' | 'planUploads'> = {
    get gets() {
      return gets
    },
    progress: [],
    uploads: [],
    outcomes: [],
    parts: [],
    puts: [],
    firstOutcome: firstOutcome.promise,
    behaviour: {
      progress: 'continue',
      failPuts: 0,
      failOutcomes: 0,
      failGets: 0,
      partSizeBytes: 5 * 1024 * 1024,
      plannedUrls: 4,
      singleLimitBytes: 8 * 1024 * 1024,
      ...behaviour,
    },
    stored: ({ key, uploadId, parts }) => {
      if (uploadId === null || parts === null) return bodies.get(key)?.bytes ?? null
      const pieces = parts.map((etag, index) => {
        const body = bodies.get(`${key} ${uploadId} ${index + 1}`)
        return body?.etag === etag ? body.bytes : null
      })
      return pieces.every((piece) => piece !== null) ? Buffer.concat(pieces) : null
    },
  }
  let origin = ''
  const createUrl = (slot: string, part: number | null) => {
    const id = randomUUID()
    targets.set(id, { slot, part })
    return `${origin}/storage/${id}?X-Amz-Signature=secret-signature`
  }
  const planOne = (key: string) => ({ key, url: createUrl(key, null) })

  const get = (response: ServerResponse, id: string) => {
    gets++
    if (worker.behaviour.failGets-- > 0) return response.writeHead(500).end()
    const bytes = objects.get(id)
    return bytes ? response.writeHead(200).end(bytes) : response.writeHead(403).end()
  }
  const put = async (request: IncomingMessage, response: ServerResponse, id: string) => {
    const target = targets.get(id)
    if (!target) return response.writeHead(403).end()
    if (worker.behaviour.breaksPuts) return request.destroy()
    const body = await bytesOf(request)
    worker.puts.push({ bytes: body.length, part: target.part, contentType: request.headers['content-type'] })
    if (body.length !== Number(request.headers['content-length'])) return response.writeHead(400).end()
    targets.delete(id)
    if (worker.behaviour.failPuts-- > 0) return response.writeHead(500).end()
    const etag = `"${createHash('md5').update(body).digest('hex')}"`
    bodies.set(target.slot, { bytes: body, etag })
    return response.writeHead(200, { etag }).end()
  }

  const partUrls = (key: string, uploadId: string, firstPart: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => firstPart + index).map((part) =>
      createUrl(`${key} ${uploadId} ${part}`, part),
    )

  const messages: Record<string, (message: unknown) => { status: number; body: unknown }> = {
    progress: (message) => {
      const progress = Progress.parse(message)
      worker.progress.push(progress)
      const { behaviour } = worker
      if (behaviour.losesReport?.(progress)) return { status: 503, body: {} }
      if (behaviour.rejectsProgress) return { status: 400, body: {} }
      if (behaviour.progress === 'lost') return { status: 409, body: {} }
      const agreement = behaviour.affordableBytes === undefined ? null : agree(progress, behaviour.affordableBytes)
      const stop = behaviour.progress === 'stop' || !!behaviour.stopWhen?.(progress) || !!agreement?.stop
      const agreedSeconds = behaviour.agreesTo?.(progress) ?? undefined
      return { status: 200, body: { stop, ...(agreement && { agreedBytes: agreement.agreedBytes }), agreedSeconds } }
    },
    uploads: (message) => {
      const order = UploadRequest.parse(message)
      worker.uploads.push(order)
      const { partSizeBytes, singleLimitBytes, plannedUrls } = worker.behaviour
      const isSingle = order.sizeBytes !== null && order.sizeBytes <= singleLimitBytes
      const key = order.index === undefined ? order.kind : `${order.kind}/${order.index}`
      if (isSingle) return { status: 200, body: { kind: 'single', ...planOne(key) } }
      const uploadId = randomUUID()
      const urls = partUrls(key, uploadId, 1, plannedUrls)
      return { status: 200, body: { kind: 'multipart', key, uploadId, partSizeBytes, urls } }
    },
    parts: (message) => {
      const order = PartsRequest.parse(message)
      worker.parts.push(order)
      return { status: 200, body: { urls: partUrls(order.key, order.uploadId, order.firstPart, order.count) } }
    },
    outcome: (message) => {
      if (worker.behaviour.failOutcomes-- > 0) return { status: 503, body: {} }
      const outcome = StepOutcome.parse(message)
      worker.outcomes.push(outcome)
      firstOutcome.resolve(outcome)
      return { status: 200, body: {} }
    },
  }

  const server = createServer(async (request, response) => {
    const [, storage, id = ''] = /^\/(storage|job)\/([^?]*)/.exec(request.url ?? '') ?? []
    if (storage === 'storage' && request.method === 'GET') return get(response, id)
    if (storage === 'storage') return put(request, response, id)
    const message = messages[id]
    const body = await bytesOf(request)
    if (request.headers.authorization !== `Bearer ${token}` || !message) return response.writeHead(401).end()
    const reply = message(JSON.parse(body.toString()))
    return response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body))
  })
  const { url, close } = await listenOnLoopback(server)
  origin = url
  return Object.assign(worker, {
    callback: { url: `${origin}/job`, token },
    planUploads: () => ({
      media: planOne('media'),
      thumbnail: planOne('thumbnail'),
      maxBytes: worker.behaviour.singleLimitBytes,
    }),
    storeObject: (bytes: Buffer) => {
      const id = randomUUID()
      objects.set(id, bytes)
      return `${origin}/storage/${id}?X-Amz-Signature=secret-signature`
    },
    close,
  })
}

/** As the account does, with a hold of one MB at first. */
export const agree = (progress: Progress, affordable: number): { stop: boolean; agreedBytes: number } => {
  const { downloadedBytes, totalBytes, neededBytes = 0, wantedBytes = 0 } = progress
  const needed = Math.max(downloadedBytes, totalBytes ?? 0, neededBytes)
  const wanted = Math.max(1_000_000, needed, wantedBytes)
  return { stop: needed > affordable, agreedBytes: Math.min(wanted, affordable) }
}

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    // The container closed the connection.
  }
  return Buffer.concat(chunks)
}
