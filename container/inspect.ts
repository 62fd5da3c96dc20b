import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { contentTypeOf } from '../domain/media/media-types.ts'
import type { InspectRequest, InspectResponse } from '../domain/protocol/protocol.ts'
import type { Egress } from './egress/egress.ts'
import { createStorageEgress } from './egress/storage.ts'
import { failedOutcome, SourceFailure } from './failures.ts'
import { errorFields } from './log.ts'
import { type PeekedFile, peekFile } from './media/peek.ts'
import { probe } from './media/probe.ts'
import { openDirect } from './source/direct.ts'
import { isMedia } from './source/sniff.ts'
import type { Transport } from './source/source.ts'
import { defaultRetryPolicy } from './source/transfer/retry-policy.ts'
import { stream } from './source/transfer/stream.ts'
import { isOfStorage } from './steps/from-storage.ts'
import { type SharedTools, withWorkspace } from './steps/run.ts'

/**
 * Finds out whether an uploaded file is media: its first bytes must be those of a format that we read, and ffprobe must
 * find streams in it. ffprobe runs as in every step, and sees only the bytes that were fetched: the file's beginning
 * and its index.
 */
export const inspectStored = async (
  request: InspectRequest,
  tools: SharedTools,
  signal: AbortSignal,
): Promise<InspectResponse> => {
  try {
    return await withWorkspace(tools, signal, async ({ workDir }) => {
      const egress = createStorageEgress(signal)
      try {
        return await inspect(request, egress, workDir, signal)
      } finally {
        await egress.close()
      }
    })
  } catch (error) {
    if (signal.aborted) return failedOutcome(new SourceFailure('TIMED_OUT'))
    if (isOfStorage(error)) return failedOutcome(new SourceFailure('SOURCE_UNREACHABLE'))
    // Without its index or its end, the file is no media either.
    if (error instanceof SourceFailure) return failedOutcome(new SourceFailure('SOURCE_UNSUPPORTED'))
    tools.log('inspection failed', errorFields(error))
    return failedOutcome(new SourceFailure('INTERNAL'))
  }
}

const inspect = async (
  { url, sizeBytes }: InspectRequest,
  egress: Egress,
  workDir: string,
  signal: AbortSignal,
): Promise<InspectResponse> => {
  const opened = await openDirect(url, egress, signal)
  if (!isMedia(opened.kind)) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const transport: FileTransport = { kind: 'file', url, headers: {}, opened }
  const peeked = await peekFile(transport, egress, workDir, signal)
  opened.discard()
  const { extension, video, durationSeconds } = peeked ?? (await probeEnds(url, sizeBytes, { egress, workDir, signal }))
  return { status: 'done', contentType: contentTypeOf(extension, video !== null), extension, durationSeconds }
}

type FileTransport = Extract<Transport, { kind: 'file' }>

/** Enough for a picture of an album before the first sound, and for the index of a recording of a day. */
const END_BYTES = 16 * 1024 * 1024

interface Means {
  egress: Egress
  workDir: string
  signal: AbortSignal
}

/** More bytes of both ends, where those of the first look were not enough. Throws if it is not media. */
const probeEnds = async (
  url: string,
  sizeBytes: number,
  { egress, workDir, signal }: Means,
): Promise<Pick<PeekedFile, 'extension' | 'video' | 'durationSeconds'>> => {
  const path = join(workDir, 'ends')
  const file = await open(path, 'w+')
  try {
    await file.truncate(sizeBytes)
    const put = async (bytes: Uint8Array, offset: number) => void (await file.write(bytes, 0, bytes.length, offset))
    const headEnd = Math.min(END_BYTES, sizeBytes)
    const ranges = [
      { start: 0, end: headEnd },
      { start: Math.max(headEnd, sizeBytes - END_BYTES), end: sizeBytes },
    ]
    for (const range of ranges) {
      if (range.start === range.end) continue
      await stream({ url, headers: {}, ...range }, put, { egress, signal, retryPolicy: defaultRetryPolicy })
    }
    const { extension, video, durationSeconds } = await probe(path, signal, { endUnknown: true })
    return { extension, video, durationSeconds: durationSeconds || null }
  } finally {
    await file.close()
  }
}
