import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Response } from 'undici'
import { onTestFinished } from 'vitest'
import { createEgress, type Egress, type EgressOptions } from '../../../container/egress/egress.ts'
import { createGuard, systemLookup } from '../../../container/egress/guard.ts'
import { SourceFailure } from '../../../container/failures.ts'
import { downloadFile } from '../../../container/source/download.ts'
import type { Sink } from '../../../container/source/source.ts'
import type { RetryPolicy } from '../../../container/source/transfer/retry-policy.ts'
import type { FetchContext } from '../../../container/source/transfer/stream.ts'
import { type Body, fileBody, generatedBody } from '../../doubles/origin/bodies.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'

/** Few and fast retries. */
export const retryPolicy: RetryPolicy = { attempts: 4, backoffMs: () => 1 }
/** For origins that stall. A false timeout on a busy machine only causes another request. */
export const timeoutsFor = (query: string): Pick<EgressOptions, 'timeouts'> => {
  const idleMs = query.includes('stall') ? 500 : 30_000
  return { timeouts: { idleMs, headersMs: idleMs } }
}

/** A test that hangs ends with its own timeout. */
export const never = new AbortController().signal

export async function anOrigin(
  root?: string,
  options: Partial<EgressOptions> = {},
): Promise<{ origin: Origin; egress: Egress }> {
  const origin = await startOrigin(root ? { root } : {})
  const egress = createEgress({ guard: createGuard({ allow: origin.host, lookup: systemLookup }), ...options })
  onTestFinished(async () => {
    await egress.close()
    await origin.close()
  })
  return { origin, egress }
}

/** Counts the body bytes that are read from the egress. */
export function withByteCount(egress: Egress): { egress: Egress; receivedBytes(): number } {
  let received = 0
  async function* counted(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      received += chunk.length
      yield chunk
    }
  }
  const fetch: Egress['fetch'] = async (url, init) => {
    const response = await egress.fetch(url, init)
    const { status, headers } = response
    const copy = new Response(response.body && counted(response.body), { status, headers })
    return Object.defineProperty(copy, 'url', { value: response.url })
  }
  return { egress: { ...egress, fetch }, receivedBytes: () => received }
}

export interface FileSink extends Sink {
  announced: number[]
  /** All bytes written; those written twice count twice. */
  writtenBytes(): number
  sha256(): Promise<string>
  path: string
}

/** A file on disk, like the container's spool. */
export async function aSink(): Promise<FileSink> {
  const folder = await mkdtemp(join(tmpdir(), 'haul-sink-'))
  const path = join(folder, 'media')
  const file = await open(path, 'w')
  onTestFinished(async () => {
    await file.close()
    await rm(folder, { recursive: true })
  })
  const announced: number[] = []
  let written = 0
  return {
    announced,
    path,
    announce: (totalBytes) => void announced.push(totalBytes),
    async write(bytes, offset) {
      written += bytes.length
      await file.write(bytes, 0, bytes.length, offset)
    },
    writtenBytes: () => written,
    sha256: () => sha256Of(createReadStream(path)),
  }
}

/** Refuses more bytes, and an announced size above the limit, as the meter of a step does. */
export function withSizeLimit<Limited extends Sink>(maxBytes: number, sink: Limited): Limited {
  const check = (bytes: number) => {
    if (bytes > maxBytes) throw new SourceFailure('MEDIA_TOO_LARGE')
  }
  return {
    ...sink,
    announce(totalBytes) {
      check(totalBytes)
      sink.announce(totalBytes)
    },
    async write(bytes, offset) {
      check(offset + bytes.length)
      await sink.write(bytes, offset)
    },
  }
}

interface DownloadOptions extends Pick<FetchContext, 'retryPolicy'> {
  headers?: Record<string, string>
  connections?: number
}

/** Downloads a file from a new origin. `outcome` is the result or the error. */
export async function downloadedFile(path: string, { headers = {}, connections, ...options }: DownloadOptions = {}) {
  const { origin, egress } = await anOrigin(undefined, timeoutsFor(path))
  const sink = await aSink()
  const transport = { kind: 'file' as const, url: origin.url + path, headers }
  const result = downloadFile(transport, sink, { egress, signal: never, retryPolicy, ...options }, connections)
  const outcome = await result.catch((error) => error)
  return { outcome, sink, requests: origin.requests }
}

export async function sha256Of(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

const sha256OfBody = (body: Body | null): Promise<string> => {
  if (!body) throw new Error('no such body')
  return sha256Of(body.read(0, body.sizeBytes))
}

export const sha256OfFixture = async (name: string) => sha256OfBody(await fileBody(fixture(name)))
const ofGenerated = new Map<number, Promise<string>>()
export const sha256OfGenerated = (sizeBytes: number): Promise<string> => {
  const known = ofGenerated.get(sizeBytes) ?? generatedBody(fixture('faststart.mp4'), sizeBytes).then(sha256OfBody)
  ofGenerated.set(sizeBytes, known)
  return known
}
