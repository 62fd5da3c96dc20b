import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { contentTypeOf } from '../../domain/media/media-types.ts'
import type { InspectRequest, InspectResponse } from '../../domain/protocol/protocol.ts'
import { createStorageEgress } from '../egress/storage.ts'
import { SourceFailure } from '../failures.ts'
import { type OpenContext, type PeekedFile, peekFile } from '../media/peek.ts'
import { probe } from '../media/probe.ts'
import { openDirect } from '../source/resolve.ts'
import type { SharedTools } from '../source/routes/until-served.ts'
import { isMedia } from '../source/sniff.ts'
import type { FileTransport } from '../source/source.ts'
import { stream } from '../source/transfer/stream.ts'
import { isOfStorage } from '../steps/step.ts'
import { lookUp, MAX_PROBE_MS } from './metadata.ts'

/**
 * Whether an uploaded file is media: its first bytes are those of a format that we read, and ffprobe finds streams in what
 * was fetched, the file's beginning and its index.
 */
export const inspectStored = async (
  request: InspectRequest,
  tools: SharedTools,
  signal: AbortSignal,
): Promise<InspectResponse> =>
  lookUp(null, Math.min(request.timeoutMs, MAX_PROBE_MS), tools, signal, ({ workDir, signal }) =>
    inspect(request, { egress: createStorageEgress(signal), workDir, signal }).catch((error) => {
      throw reasonOf(error)
    }),
  )

const reasonOf = (error: unknown): unknown => {
  if (isOfStorage(error)) return new SourceFailure('SOURCE_UNREACHABLE')
  // Without its index or its end, the file is no media either.
  return error instanceof SourceFailure ? new SourceFailure('SOURCE_UNSUPPORTED') : error
}

const inspect = async ({ url, sizeBytes }: InspectRequest, context: OpenContext): Promise<InspectResponse> => {
  const opened = await openDirect({ url, headers: {} }, context)
  if (!isMedia(opened.kind)) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const transport: FileTransport = { kind: 'file', url, headers: {}, opened }
  const peeked = await peekFile(transport, context)
  opened.discard()
  const found = peeked ?? (await probeEnds(url, sizeBytes, context))
  const { extension, video, durationSeconds, durationIsEstimate } = found
  return {
    status: 'done',
    contentType: contentTypeOf(extension, video !== null),
    extension,
    // A price must not follow from an estimate.
    durationSeconds: durationIsEstimate ? null : durationSeconds,
  }
}

/** Enough for a picture of an album before the first sound, and for the index of a recording of a day. */
const END_BYTES = 16 * 1024 * 1024

/** More bytes of both ends, where those of the first look were not enough. Throws if it is not media. */
const probeEnds = async (
  url: string,
  sizeBytes: number,
  { egress, workDir, signal }: OpenContext,
): Promise<Pick<PeekedFile, 'extension' | 'video' | 'durationSeconds' | 'durationIsEstimate'>> => {
  const path = join(workDir, 'ends')
  const file = await open(path, 'w+')
  try {
    await file.truncate(sizeBytes)
    const put = async (bytes: Uint8Array, offset: number) => void (await file.write(bytes, 0, bytes.length, offset))
    const remote = { url, headers: {} }
    const headEnd = Math.min(END_BYTES, sizeBytes)
    const tailStart = Math.max(headEnd, sizeBytes - END_BYTES)
    await stream({ ...remote, start: 0, end: headEnd }, put, { egress, signal })
    if (tailStart < sizeBytes) await stream({ ...remote, start: tailStart, end: sizeBytes }, put, { egress, signal })
    const { extension, video, ...probed } = await probe(path, signal, { endUnknown: true })
    const durationIsEstimate = probed.durationIsEstimate && sizeBytes > 2 * END_BYTES
    return { extension, video, durationSeconds: probed.durationSeconds || null, durationIsEstimate }
  } finally {
    await file.close()
  }
}
