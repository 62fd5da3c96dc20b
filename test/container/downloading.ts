import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Egress } from '../../container/egress/egress.ts'
import { createGuard } from '../../container/egress/guard.ts'
import { systemLookup } from '../../container/egress/lookup.ts'
import { createEgress } from '../../container/egress/outlet.ts'
import type { Sink } from '../../container/source/source.ts'
import { downloadFile } from '../../container/source/transfer/file.ts'
import type { DownloadOptions } from '../../container/source/transfer/limits.ts'
import type { Patience } from '../../container/source/transfer/patience.ts'
import { type Body, fileBody, generatedBody } from '../origin/bodies.ts'
import { fixture } from '../origin/fixtures.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'

/** Gives up soon, but takes no slow machine for a silent origin. */
export const patience: Patience = { idleMs: 30_000, attempts: 4, backoffMs: () => 1 }
/** For origins that fall silent: what else seems silent, because the machine is busy, is only asked once more. */
const impatience: Patience = { idleMs: 500, attempts: 4, backoffMs: () => 1 }
export const patienceFor = (query: string): Patience => (query.includes('stall') ? impatience : patience)

/** Who hangs is ended by the test's own time. */
export const never = new AbortController().signal

export async function anOrigin(root?: string): Promise<{ origin: Origin; egress: Egress }> {
  const origin = await startOrigin(root ? { root } : {})
  const egress = await createEgress({ guard: createGuard({ allow: origin.host, lookup: systemLookup }) })
  onTestFinished(async () => {
    await egress.close()
    await origin.close()
  })
  return { origin, egress }
}

export interface FileSink extends Sink {
  announced: number[]
  /** Bytes written in all, those written twice counted twice. */
  writtenBytes(): number
  sha256(): Promise<string>
  path: string
}

/** A file on disk, as the container's own. */
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

/** A file of an origin of its own, on disk; or why it is not. */
export async function downloadedFile(
  path: string,
  { headers = {}, ...options }: DownloadOptions & { headers?: Record<string, string> } = {},
) {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const transport = { kind: 'file' as const, url: origin.url + path, headers }
  const result = downloadFile(transport, egress, sink, never, { patience: patienceFor(path), ...options })
  const outcome = await result.catch((error) => error)
  return { outcome, sink, requests: origin.requests }
}

export async function sha256Of(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

const sha256OfBody = (body: Body | null): Promise<string> => {
  if (!body) throw new Error('no such body')
  return sha256Of(body.read(0, body.sizeBytes))
}

export const sha256OfFixture = async (name: string) => sha256OfBody(await fileBody(fixture(name)))
export const sha256OfGenerated = async (sizeBytes: number) =>
  sha256OfBody(await generatedBody(fixture('faststart.mp4'), sizeBytes))
