import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Outcome, PartsOrder, Progress, UploadOrder } from '../../container/protocol.ts'
import { onLoopback } from '../loopback.ts'

/**
 * The Worker as the container sees it: the callbacks of protocol.ts, and storage behind addresses that are
 * good for one PUT. Every message is checked against the protocol's schema.
 */
export interface FakeWorker {
  callback: { url: string; token: string }
  progress: Progress[]
  uploads: UploadOrder[]
  outcomes: Outcome[]
  /** Bytes as the storage has them once the upload is completed; null where it does not add up. */
  stored(uploaded: { key: string; uploadId: string | null; parts: string[] | null }): Buffer | null
  /** An address where storage has these bytes. */
  offer(bytes: Buffer): string
  /** The first outcome. */
  done: Promise<Outcome>
  behaviour: Behaviour
  /** How many bytes each PUT had, and the type that it gave them. */
  puts: { bytes: number; part: number | null; contentType: string | undefined }[]
  /** How often something was fetched that was offered. */
  readonly gets: number
  close(): Promise<void>
}

export interface Behaviour {
  /** The answer to progress: go on, stop, or the lease is lost. */
  progress: 'go on' | 'stop' | 'lost'
  stopWhen?: (progress: Progress) => boolean
  /** So many PUTs are answered with 500 first. */
  failPuts: number
  failOutcomes: number
  /** So many GETs are answered with 500 first. */
  failGets: number
  partSizeBytes: number
  singleLimitBytes: number
  /** Bodies are counted and digested, not kept. */
  forget: boolean
}

export const startFakeWorker = async (behaviour: Partial<Behaviour> = {}): Promise<FakeWorker> => {
  const bodies = new Map<string, { bytes: Buffer; etag: string }>()
  const addresses = new Map<string, { slot: string; part: number | null }>()
  const settled = Promise.withResolvers<Outcome>()
  const token = randomUUID()
  const offered = new Map<string, Buffer>()
  let gets = 0
  const worker: Omit<FakeWorker, 'callback' | 'close' | 'offer'> = {
    get gets() {
      return gets
    },
    progress: [],
    uploads: [],
    outcomes: [],
    puts: [],
    done: settled.promise,
    behaviour: {
      progress: 'go on',
      failPuts: 0,
      failOutcomes: 0,
      failGets: 0,
      partSizeBytes: 5 * 1024 * 1024,
      singleLimitBytes: 8 * 1024 * 1024,
      forget: false,
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
  const address = (slot: string, part: number | null) => {
    const id = randomUUID()
    addresses.set(id, { slot, part })
    return `${origin}/storage/${id}?X-Amz-Signature=secret-signature`
  }

  const get = (response: ServerResponse, id: string) => {
    gets++
    if (worker.behaviour.failGets-- > 0) return response.writeHead(500).end()
    const bytes = offered.get(id)
    return bytes ? response.writeHead(200).end(bytes) : response.writeHead(403).end()
  }
  const put = async (request: IncomingMessage, response: ServerResponse, id: string) => {
    const target = addresses.get(id)
    if (!target) return response.writeHead(403).end()
    const body = await bytesOf(request)
    worker.puts.push({ bytes: body.length, part: target.part, contentType: request.headers['content-type'] })
    if (body.length !== Number(request.headers['content-length'])) return response.writeHead(400).end()
    addresses.delete(id)
    if (worker.behaviour.failPuts-- > 0) return response.writeHead(500).end()
    const etag = `"${createHash('md5').update(body).digest('hex')}"`
    bodies.set(target.slot, { bytes: worker.behaviour.forget ? Buffer.alloc(0) : body, etag })
    return response.writeHead(200, { etag }).end()
  }

  const messages: Record<string, (message: unknown) => { status: number; body: unknown }> = {
    progress: (message) => {
      const progress = Progress.parse(message)
      worker.progress.push(progress)
      if (worker.behaviour.progress === 'lost') return { status: 409, body: {} }
      return {
        status: 200,
        body: { stop: worker.behaviour.progress === 'stop' || !!worker.behaviour.stopWhen?.(progress) },
      }
    },
    uploads: (message) => {
      const order = UploadOrder.parse(message)
      worker.uploads.push(order)
      const { partSizeBytes, singleLimitBytes } = worker.behaviour
      const isSingle = order.sizeBytes !== null && order.sizeBytes <= singleLimitBytes
      const key = order.index === undefined ? order.kind : `${order.kind}/${order.index}`
      const body = isSingle
        ? { kind: 'single', key, url: address(key, null) }
        : { kind: 'multipart', key, uploadId: randomUUID(), partSizeBytes }
      return { status: 200, body }
    },
    parts: (message) => {
      const { key, uploadId, firstPart, count } = PartsOrder.parse(message)
      const numbers = Array.from({ length: count }, (_, index) => firstPart + index)
      return { status: 200, body: { urls: numbers.map((part) => address(`${key} ${uploadId} ${part}`, part)) } }
    },
    outcome: (message) => {
      if (worker.behaviour.failOutcomes-- > 0) return { status: 503, body: {} }
      const outcome = Outcome.parse(message)
      worker.outcomes.push(outcome)
      settled.resolve(outcome)
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
    const answer = message(JSON.parse(body.toString()))
    return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  const { url, close } = await onLoopback(server)
  origin = url
  return Object.assign(worker, {
    callback: { url: `${origin}/job`, token },
    offer: (bytes: Buffer) => {
      const id = randomUUID()
      offered.set(id, bytes)
      return `${origin}/storage/${id}?X-Amz-Signature=secret-signature`
    },
    close,
  })
}

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    // The container hung up; what came is what there is.
  }
  return Buffer.concat(chunks)
}
